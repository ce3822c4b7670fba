/** Splits streamed text into thinking and answer. */
import { overlap } from '../../base/overlap.ts';
import families from './thinking-tags.json' with { type: 'json' };

export interface ThinkingTags {
  /** Any of them begins the thinking. */
  open: string[];
  /** Any of them ends it. */
  close: string[];
  /** What the answer itself may stand between. */
  answer?: { open: string; close: string };
}

/** The tags that a model's template uses; those of most models when it names none. */
export function thinkingTags(template: string): ThinkingTags {
  const named = (tags: ThinkingTags) => [...tags.open, ...tags.close].some((tag) => template.includes(tag));
  const tags: ThinkingTags = families.find(named) ?? families.at(-1)!;
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

export interface Split {
  thinking: string;
  content: string;
}

export class ThinkingParser {
  #state: 'start' | 'before-thinking' | 'thinking' | 'before-content' | 'content' = 'start';
  #held = '';

  /** `prompt`: may end with the opening tag, so that the answer begins inside it. */
  constructor(
    readonly tags: ThinkingTags,
    prompt: string,
  ) {
    const before = prompt.trimEnd();
    if (tags.open.some((open) => before.endsWith(open.trimEnd()))) this.#state = 'before-thinking';
  }

  /** No more thinking can come. */
  get finished(): boolean {
    return this.#state === 'before-content' || this.#state === 'content';
  }

  push(text: string): Split {
    this.#held += text;
    const split: Split = { thinking: '', content: '' };
    while (this.#advance(split));
    return split;
  }

  /** What was held back, when nothing more comes. */
  flush(): Split {
    const held = this.#held;
    this.#held = '';
    if (this.#state === 'thinking') return { thinking: held, content: '' };
    return { thinking: '', content: this.#state === 'start' || this.#state === 'content' ? held : '' };
  }

  /** Returns whether there may be more to do with what is held. */
  #advance(split: Split): boolean {
    const { open, close } = this.tags;
    switch (this.#state) {
      case 'start': {
        const trimmed = this.#held.trimStart();
        const tag = open.find((one) => trimmed.startsWith(one));
        if (tag !== undefined) {
          this.#held = trimmed.slice(tag.length);
          this.#state = 'before-thinking';
          return true;
        }
        if (open.some((one) => one.startsWith(trimmed))) return false;
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
        const end = firstOf(this.#held, close);
        if (end) {
          split.thinking += this.#held.slice(0, end.at);
          this.#held = this.#held.slice(end.at + end.word.length);
          this.#state = 'before-content';
          return true;
        }
        const keep = Math.max(...close.map((one) => overlap(this.#held, one)));
        split.thinking += this.#held.slice(0, this.#held.length - keep);
        this.#held = this.#held.slice(this.#held.length - keep);
        return false;
      }
      case 'content':
        split.content += this.#held;
        this.#held = '';
        return false;
    }
  }
}

/** Where the first of the words stands. */
export function firstOf(text: string, words: readonly string[]): { at: number; word: string } | undefined {
  let first: { at: number; word: string } | undefined;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, word };
  }
  return first;
}
