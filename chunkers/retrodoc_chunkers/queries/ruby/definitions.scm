(class) @class
(module) @module
(method) @method
(singleton_method) @method
(assignment left: [(constant) @name (scope_resolution name: (constant) @name)]) @constant

; Wrapped in a visibility or memoizing call: `private def total`.
(call !receiver arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper @cut

; What a framework's language defines: `describe "x" do`, `task :build do`, `scope :open, -> { }`, `has_many :rows`.
(call !receiver method: (identifier) block: (_)) @block
(call receiver: [(constant) (scope_resolution) (call)] method: (identifier) block: (do_block)) @block
(call !receiver !block method: (identifier) arguments: (argument_list)) @block.named
