/**
 * Restores the state that an object had when its method `mark` returned this function. V8 interrupts a computation that
 * takes too long at any instruction, without running `finally`, so an undo restores the complete state, and not only
 * what the work has reported as changed. Some objects keep only the last mark, so that a mark costs no memory: an undo
 * is valid until the next mark of the same object is complete.
 */
export type Undo = () => void;
