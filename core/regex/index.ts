export { findPattern } from './pattern-thread.ts';
export { answerPattern, type PatternMessage } from './run-pattern.ts';
