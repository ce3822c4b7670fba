/** Splits streamed output into thinking and answer by the tags around the thinking. */
import { overlap } from '../../base/overlap.ts';
import families from './thinking-tags.json' with { type: 'json' };

export interface ThinkingTags {
  /** Each of these texts begins the thinking. */
  open: string[];
  /** Each of these texts ends the thinking. */
  close: string[];
  /** Tags that may surround the answer. */
  answer?: { open: string; close: string };
}

/** The tags that a template contains. Without any, `<think>` and `</think>`, which most models use. */
export function thinkingTags(template: string): ThinkingTags {
  const isUsed = (tags: ThinkingTags) => [...tags.open, ...tags.close].some((tag) => template.includes(tag));
  const tags: ThinkingTags = families.find(isUsed) ?? families.at(-1)!;
  const { answer, ...others } = tags;
  return answer && template.includes(answer.open) ? { ...others, answer } : others;
}

/** Whether a model with this chat template thinks before it answers. */
export function templateThinks(template: string): boolean {
  return (
    /enable_thinking|reasoning_content|reasoning_effort|message\.thinking|message\['thinking'\]/.test(
      template,
    ) || families.some(({ open, close }) => [...open, ...close].some((tag) => template.includes(tag)))
  );
}

export interface SplitText {
  thinking: string;
  content: string;
}

/** Separates streamed thinking from the answer. */
export class ThinkingParser {
  #state: 'start' | 'before-thinking' | 'thinking' | 'before-content' | 'content' = 'start';
  #held = '';

  /** @param prompt may end with the opening tag; then the output begins with thinking */
  constructor(
    readonly tags: ThinkingTags,
    prompt: string,
  ) {
    const before = prompt.trimEnd();
    if (tags.open.some((open) => before.endsWith(open.trimEnd()))) this.#state = 'before-thinking';
  }

  /** Whether no more thinking can follow. */
  get finished(): boolean {
    return this.#state === 'before-content' || this.#state === 'content';
  }

  push(text: string): SplitText {
    this.#held += text;
    const split: SplitText = { thinking: '', content: '' };
    while (this.#advance(split));
    return split;
  }

  /** Returns the rest, when the stream has ended. */
  flush(): SplitText {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thinking') return { thinking: held, content: '' };
    return { thinking: '', content: this.#state === 'start' || this.#state === 'content' ? held : '' };
  }

  /** Returns whether the held text may allow another step. */
  #advance(split: SplitText): boolean {
    const { open, close } = this.tags;
    switch (this.#state) {
      case 'start': {
        const trimmed = this.#held.trimStart();
        const opened = open.find((tag) => trimmed.startsWith(tag));
        if (opened !== undefined) {
          this.#held = trimmed.slice(opened.length);
          this.#state = 'before-thinking';
          return true;
        }
        if (open.some((tag) => tag.startsWith(trimmed))) return false;
        this.#state = 'content';
        return true;
      }
      case 'before-thinking':
      case 'before-content': {
        this.#held = this.#held.trimStart();
        if (this.#held === '') return false;
        this.#state = this.#state === 'before-thinking' ? 'thinking' : 'content';
        return true;
      }
      case 'thinking': {
        const end = findFirst(this.#held, close);
        if (end) {
          split.thinking += this.#held.slice(0, end.at);
          this.#held = this.#held.slice(end.at + end.word.length);
          this.#state = 'before-content';
          return true;
        }
        const uncertain = Math.max(...close.map((tag) => overlap(this.#held, tag)));
        split.thinking += this.#held.slice(0, this.#held.length - uncertain);
        this.#held = this.#held.slice(this.#held.length - uncertain);
        return false;
      }
      case 'content':
        split.content += this.#held;
        this.#held = '';
        return false;
    }
  }
}

/** Finds the word that occurs first in the text. */
export function findFirst(text: string, words: readonly string[]): { at: number; word: string } | undefined {
  let first: { at: number; word: string } | undefined;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, word };
  }
  return first;
}
