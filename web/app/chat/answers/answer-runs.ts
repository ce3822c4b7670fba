import type { ChatHost } from '../chat-host.ts';
import { type Conversation, chatRequestBody, newTurn, pathTo, type Turn } from '../conversation.ts';
import { lockName } from './interrupted-answers.ts';
import { type PreparedAnswer, runAnswer } from './run-answer.ts';

/** The conversations that the answers belong to. */
export interface TurnOwner {
  turns(conversation: string): readonly Turn[];
  /** A time after those of all turns of the conversation. */
  nextTime(conversation: string): number;
  /** Shows a changed turn. */
  replace(turn: Turn): void;
  save(turn: Turn): Promise<void>;
  /** Shows and stores new or changed turns. `leaf` is the id of the last turn of the shown branch. */
  saveConversation(conversation: Conversation, turns: Turn[], leaf: string): Promise<void>;
  /** Called when an answer, or the last one of several models, has ended. */
  ended(turn: Turn): void;
}

/** Generates the answers of this tab. Compared models answer one after the other: each speed is that of one model. */
export class AnswerRuns {
  readonly #aborts = new Map<string, AbortController>();

  constructor(
    private readonly host: ChatHost,
    private readonly owner: TurnOwner,
  ) {}

  /** Whether this tab generates the answer. */
  isOwn(turn: Turn): boolean {
    return this.#aborts.has(turn.id);
  }

  stop(turn: Turn): void {
    this.#aborts.get(turn.id)?.abort();
  }

  /**
   * Generates an answer of each model to the turn `parent`, and shows them side by side. Resolves when all have ended.
   * @param left the id of an answer that stands on the left of the new one
   * @param right an answer that stands on the right of the new one
   */
  async generate(
    conversation: Conversation,
    parent: string | undefined,
    models: readonly string[],
    { left, right }: { left?: string; right?: Turn } = {},
  ): Promise<void> {
    const { id, settings } = conversation;
    const now = this.owner.nextTime(id);
    const turns = models.map((model, place): Turn => {
      const turn = this.#running(
        newTurn('assistant', '', { conversation: id, parent, at: now + place }),
        model,
      );
      if (settings.format !== undefined) turn.json = true;
      return turn;
    });
    const [first] = turns;
    if (!first) return;
    if (left !== undefined) first.comparedWith = left;
    for (const turn of turns.slice(1)) Object.assign(turn, { comparedWith: first.id, waiting: 'queued' });
    for (const turn of turns) this.#aborts.set(turn.id, new AbortController());
    const changed = right ? [...turns, { ...right, comparedWith: first.id }] : turns;
    let ended = first;
    await withLocks(turns.map(lockName), async () => {
      await this.owner.saveConversation(conversation, changed, first.id);
      for (const queued of turns) {
        const turn = this.#running(queued, queued.model!);
        this.owner.replace(turn);
        ended = await this.#run(turn, conversation, false);
      }
    });
    this.owner.ended(ended);
  }

  /** Generates the rest of an answer. Its text grows in place. */
  async continue(answer: Turn, model: string, conversation: Conversation): Promise<void> {
    const turn = this.#running(answer, model);
    this.#aborts.set(turn.id, new AbortController());
    this.owner.replace(turn);
    await navigator.locks.request(lockName(turn), () => this.resume(turn, conversation));
  }

  /** Generates the rest of an answer whose lock the caller holds. */
  async resume(turn: Turn, conversation: Conversation): Promise<void> {
    this.owner.ended(await this.#run(turn, conversation, true));
  }

  #running(turn: Turn, model: string): Turn {
    return { ...turn, state: 'running', waiting: this.host.isLoaded(model) ? 'reading' : 'loading', model };
  }

  async #run(turn: Turn, conversation: Conversation, isContinued: boolean): Promise<Turn> {
    const abort = this.#aborts.get(turn.id) ?? new AbortController();
    this.#aborts.set(turn.id, abort);
    const ended = await runAnswer({
      turn,
      prepare: (latest, signal) => this.#prepare(latest, conversation, signal),
      isContinued,
      signal: abort.signal,
      api: this.host.api,
      device: () => this.host.deviceOf(turn.model!),
      show: (next) => this.owner.replace(next),
      save: (next) => this.owner.save(next),
    });
    this.#aborts.delete(turn.id);
    this.owner.replace(ended);
    await this.owner.save(ended);
    void this.host.refresh();
    return ended;
  }

  /** Finds the passages that the model gets in place of long documents. */
  async #prepare(turn: Turn, conversation: Conversation, signal: AbortSignal): Promise<PreparedAnswer> {
    const { settings } = conversation;
    const model = turn.model!;
    const path = pathTo(this.owner.turns(conversation.id), turn.parent);
    let { sources } = turn;
    if (!sources && path.some(({ documents }) => documents?.length)) {
      const { findSources } = await import('../chat-data.ts');
      sources = await findSources(path, {
        model,
        settings,
        host: this.host,
        signal,
        searching: (progress) => this.owner.replace({ ...turn, waiting: 'searching', progress }),
        save: async (indexed) => {
          this.owner.replace(indexed);
          await this.owner.save(indexed);
        },
      });
    }
    const request = chatRequestBody(model, settings, path, this.host.capabilities(model), sources);
    return { turn: sources ? { ...turn, sources } : turn, request };
  }
}

/** Runs `work` while this tab holds all locks. */
async function withLocks(names: readonly string[], work: () => Promise<void>): Promise<void> {
  const [name, ...rest] = names;
  if (name === undefined) return work();
  await navigator.locks.request(name, () => withLocks(rest, work));
}
