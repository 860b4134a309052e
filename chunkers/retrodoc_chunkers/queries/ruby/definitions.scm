(class name: (_) @name) @class
(module name: (_) @name) @module
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(method parameters: (_) @parameters)
(singleton_method parameters: (_) @parameters)
(assignment left: (constant) @name) @constant

; Wrapped in a visibility or memoizing call: `private def total`.
(call !receiver arguments: (argument_list . [(method) (singleton_method)] @wrapped .)) @wrapper @cut

; What a framework's language defines: `describe "x" do`, `task :build do`, `scope :open, -> { }`, `has_many :rows`.
(call !receiver method: (identifier) block: (_)) @block
(call receiver: [(constant) (scope_resolution) (call)] method: (identifier) block: (do_block)) @block
((call !receiver method: (identifier) @_dsl arguments: (argument_list)) @block
  (#any-of? @_dsl
    "scope" "has_many" "has_one" "belongs_to" "has_and_belongs_to_many" "task" "file" "define_method" "enum"
    "resources" "resource" "get" "post" "put" "patch" "delete" "match" "mount" "namespace" "delegate"
    "attr_accessor" "attr_reader" "attr_writer" "alias_method" "validates" "before_action" "after_action"
    "before_save" "after_save" "before_create" "after_create" "before_destroy" "after_destroy" "helper_method"))
