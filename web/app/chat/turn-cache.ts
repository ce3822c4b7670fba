import type { Turn } from './conversation.ts';

/** The turns of the conversations that were read, in no order. */
export class TurnCache {
  readonly #turns = new Map<string, Turn[]>();

  /** Undefined for a conversation that was not read. */
  get(conversation: string): readonly Turn[] | undefined {
    return this.#turns.get(conversation);
  }

  has(conversation: string): boolean {
    return this.#turns.has(conversation);
  }

  set(conversation: string, turns: Turn[]): void {
    this.#turns.set(conversation, turns);
  }

  delete(conversation: string): void {
    this.#turns.delete(conversation);
  }

  /** Adds turns to their conversation. Those with the id of another one replace it. */
  merge(conversation: string, turns: readonly Turn[]): void {
    if (turns.length === 0) return;
    const changed = new Set(turns.map(({ id }) => id));
    const unchanged = (this.get(conversation) ?? []).filter(({ id }) => !changed.has(id));
    this.#turns.set(conversation, [...unchanged, ...turns]);
  }

  /** Replaces a turn in its place, or adds it. Returns false when its conversation was not read. */
  replace(turn: Turn): boolean {
    const turns = this.#turns.get(turn.conversation);
    if (!turns) return false;
    const at = turns.findIndex(({ id }) => id === turn.id);
    this.#turns.set(turn.conversation, at < 0 ? [...turns, turn] : turns.with(at, turn));
    return true;
  }

  /** The current time, but later than all turns, because turns are ordered by their times. */
  nextTime(conversation: string): number {
    const last = this.get(conversation)?.reduce((latest, { at }) => Math.max(latest, at), 0) ?? 0;
    return Math.max(Date.now(), last + 1);
  }
}
