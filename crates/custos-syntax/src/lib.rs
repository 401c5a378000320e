//! Which functions and types an edit touches, read from the languages' own grammars.
