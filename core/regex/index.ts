/** Regular expressions of users, in Python's notation, which cannot block the server. */
export { answerRegexRequest, type RegexRequest } from './regex-job.ts';
export { runRegexJob } from './run-in-thread.ts';
