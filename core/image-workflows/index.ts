export { promptsAreLeft } from './execution/left-prompts.ts';
