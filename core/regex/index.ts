export { runRegexJob } from './pattern-thread.ts';
export { answerRegexRequest, type RegexRequest } from './run-pattern.ts';
