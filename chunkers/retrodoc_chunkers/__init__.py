"""What a source file is made of, and where to cut it."""

from retrodoc_chunkers.model import Call, Definition, Import, TokenKind
from retrodoc_chunkers.syntax import Syntax, syntax_of

__all__ = ["Call", "Definition", "Import", "Syntax", "TokenKind", "syntax_of"]
