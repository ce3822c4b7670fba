export { hasUnfinishedPrompts } from './execution/unfinished-prompts.ts';
