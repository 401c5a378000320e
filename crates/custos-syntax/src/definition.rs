//! The nouns: what is defined in a text, and what became of it.

/// A definition that differs between two versions of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Its name, qualified as the language does it: `Session::refresh`, `Session.refresh`, `Session#refresh`. What stands around it is
    /// part of the name only as far as it is part of the text. A test of JavaScript is called what its string says.
    pub name: String,
    /// What it is; what it was, where it is gone.
    pub sort: Definition,
    /// What became of it.
    pub how: How,
}

/// A definition, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// See [`Touched::name`].
    pub name: String,
    /// What it is.
    pub sort: Definition,
}

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Definition {
    /// A function, a macro, a procedure.
    Function,
    /// A function that belongs to a type.
    Method,
    /// A struct, class, enum, interface, record, alias, table.
    Type,
    /// A trait, or what the language calls a protocol.
    Trait,
    /// A constant, or a variable of a whole module.
    Constant,
    /// A module or namespace with its body in the same file.
    Module,
    /// A test, or a group of them.
    Test,
}

/// What became of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum How {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It reads differently than before, in more than white space. What is defined inside it does not count: that is touched itself.
    Changed,
    /// It is called differently, or belongs to something else, and is otherwise the same.
    Renamed {
        /// What it was called, qualified.
        from: String,
    },
    /// What others see of it differs: parameters, result, visibility, what it extends. Its body may differ as well.
    SignatureChanged,
}
