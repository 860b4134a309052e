"""What a source file is made of, and where to cut it."""

from retrodoc_chunkers.chunk import Chunk, chunk_source
from retrodoc_chunkers.model import Call, Definition, Import, TokenKind
from retrodoc_chunkers.syntax import Syntax, syntax_of

__all__ = ["Call", "Chunk", "Definition", "Import", "Syntax", "TokenKind", "chunk_source", "syntax_of"]
