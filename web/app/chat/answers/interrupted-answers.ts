import type { ChatHost } from '../chat-host.ts';
import type { ChatStore } from '../chat-store.ts';
import type { Conversation, Turn } from '../conversation.ts';
import { canContinue, MAX_AGE } from './continue-answer.ts';
import { asCutOff } from './run-answer.ts';

/** A tab holds this lock while it generates the answer. */
export const lockName = (turn: Turn) => `tabd-app:answer:${turn.id}`;

/** The conversations of this tab, as far as interrupted answers use them. */
interface AnswerOwner {
  attempt(work: () => Promise<void>): Promise<void>;
  save(turn: Turn): Promise<void>;
  /** Reads the turns of a conversation again. */
  read(conversation: string): Promise<void>;
  /** Generates the rest of an answer. */
  continue(turn: Turn, model: string): Promise<void>;
}

/** Waits for the answers of other tabs, and continues those that were interrupted. */
export class InterruptedAnswers {
  readonly #watched = new Set<string>();

  constructor(
    private readonly store: ChatStore,
    private readonly host: Pick<ChatHost, 'modelsListed' | 'capabilities'>,
    private readonly owner: AnswerOwner,
  ) {}

  /** Ids of the conversations whose last answer may continue, also where nobody opens them. */
  async conversations(list: readonly Conversation[]): Promise<string[]> {
    const found: string[] = [];
    for (const { id, leaf, updated } of list) {
      if (Date.now() - updated > MAX_AGE) break;
      const turn = leaf === undefined ? undefined : await this.store.turn(leaf);
      if (turn && canContinue(turn)) found.push(id);
    }
    return found;
  }

  /** Waits for the lock of another tab's answer. An answer that is incomplete then was interrupted. */
  watch(turn: Turn): void {
    if (this.#watched.has(turn.id)) return;
    this.#watched.add(turn.id);
    void navigator.locks.request(lockName(turn), async () => {
      await this.owner.attempt(() => this.#continue(turn.id));
      this.#watched.delete(turn.id);
    });
  }

  /** Continues an answer if its model is installed. The caller holds its lock. */
  async #continue(id: string): Promise<void> {
    const stored = await this.store.turn(id);
    if (!stored) return;
    const turn = stored.state === 'running' ? asCutOff(stored) : stored;
    if (turn !== stored) await this.owner.save(turn);
    await this.owner.read(turn.conversation);
    if (!canContinue(turn)) return;
    await this.host.modelsListed;
    const { model = '' } = turn;
    if (this.host.capabilities(model)) await this.owner.continue(turn, model);
  }
}
