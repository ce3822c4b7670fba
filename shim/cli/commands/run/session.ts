import type { ParameterValue } from '#core/local-models';
import type { ApiClient } from '../../client/api-client.ts';
import type { ChatLine, ChatMessage, ShowAnswer } from '../../client/api-types.ts';
import type { Terminal } from '../../progress.ts';
import { AnswerView } from './answer-view.ts';
import { takeImages } from './images.ts';
import type { RunOptions } from './options.ts';
import { canSee } from './show-or-pull.ts';
import { statisticsText } from './statistics.ts';

/** A chat with a model: its messages and the options of requests. */
export class Session {
  messages: ChatMessage[] = [];
  system: string | undefined;
  readonly parameters: Record<string, ParameterValue> = {};

  constructor(
    readonly client: ApiClient,
    public model: string,
    public description: ShowAnswer,
    readonly options: RunOptions,
    readonly out: Terminal,
  ) {}

  get canSeeImages(): boolean {
    return canSee(this.description);
  }

  /** Loads the model. */
  async load(signal: AbortSignal): Promise<void> {
    const { model, options } = this;
    await this.client.withSignal(signal).post('/api/generate', { model, keep_alive: options.keepAlive });
  }

  /** Switches to another model and clears the messages. On failure nothing changes. */
  async change(model: string, signal: AbortSignal): Promise<void> {
    const description = await this.client.withSignal(signal).post<ShowAnswer>('/api/show', { model });
    const before = { model: this.model, description: this.description };
    Object.assign(this, { model, description });
    try {
      await this.load(signal);
    } catch (error) {
      Object.assign(this, before);
      throw error;
    }
    this.messages = [];
  }

  setSystem(text: string): void {
    this.system = text;
    this.messages = [
      { role: 'system', content: text },
      ...this.messages.filter(({ role }) => role !== 'system'),
    ];
  }

  clear(): void {
    this.messages = this.system === undefined ? [] : [{ role: 'system', content: this.system }];
  }

  /** Sends a prompt and prints the answer. The messages of a failed answer are dropped. */
  async ask(prompt: string, signal: AbortSignal): Promise<void> {
    const question = await this.#question(prompt);
    const view = new AnswerView(this.out, this.options);
    let last: ChatLine | undefined;
    try {
      const lines = this.client.withSignal(signal).stream<ChatLine>('/api/chat', {
        model: this.model,
        messages: [...this.messages, question],
        options: this.parameters,
        format: this.options.format,
        think: this.options.think,
        keep_alive: this.options.keepAlive,
      });
      for await (last of lines) view.show(last.message?.thinking, last.message?.content);
    } catch (error) {
      if (view.content !== '' || signal.aborted) view.end(true);
      // A stopped answer stays in the messages: the next prompt may refer to it.
      if (signal.aborted && view.content !== '') this.#remember(question, view.content);
      throw error;
    }
    view.end(true);
    this.#remember(question, view.content);
    if (this.options.verbose && last) this.out.write(`${statisticsText(last)}\n`);
  }

  async #question(prompt: string): Promise<ChatMessage> {
    if (!this.canSeeImages) return { role: 'user', content: prompt };
    const { text, images, paths } = await takeImages(prompt);
    for (const path of paths) this.out.write(`Added image '${path}'\n`);
    return { role: 'user', content: text, ...(images.length > 0 && { images }) };
  }

  #remember(question: ChatMessage, content: string): void {
    this.messages.push(question, { role: 'assistant', content });
  }
}
