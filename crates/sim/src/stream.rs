//! One request inside the engine.
