/** Splits streamed text into thinking and answer. */
import { overlap } from '../generation/overlap.ts';

export interface ThinkingTags {
  open: string;
  close: string;
}

/** Most models use the first. */
const TAGS: ThinkingTags[] = [
  { open: '<think>', close: '</think>' },
  { open: '<thinking>', close: '</thinking>' },
  { open: '[THINK]', close: '[/THINK]' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '<reasoning>', close: '</reasoning>' },
];

/** The tags that a model's template uses. */
export function thinkingTags(template: string): ThinkingTags {
  return TAGS.find(({ open, close }) => template.includes(open) || template.includes(close)) ?? TAGS[0]!;
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
    if (prompt.trimEnd().endsWith(tags.open)) this.#state = 'before-thinking';
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
        if (trimmed.startsWith(open)) {
          this.#held = trimmed.slice(open.length);
          this.#state = 'before-thinking';
          return true;
        }
        if (open.startsWith(trimmed)) return false;
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
        const end = this.#held.indexOf(close);
        if (end >= 0) {
          split.thinking += this.#held.slice(0, end);
          this.#held = this.#held.slice(end + close.length);
          this.#state = 'before-content';
          return true;
        }
        const keep = overlap(this.#held, close);
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
