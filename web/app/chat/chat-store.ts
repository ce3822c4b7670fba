import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Conversation, Turn } from './conversation.ts';

interface Schema extends DBSchema {
  conversations: { key: string; value: Conversation };
  turns: { key: string; value: Turn; indexes: { conversation: string } };
}

/** Conversations in IndexedDB, shared by all tabs of this site. */
export class ChatStore {
  #opened: Promise<IDBPDatabase<Schema>> | undefined;

  constructor(readonly name: string) {}

  #open(): Promise<IDBPDatabase<Schema>> {
    this.#opened ??= openDB<Schema>(this.name, 1, {
      upgrade(db) {
        db.createObjectStore('conversations', { keyPath: 'id' });
        db.createObjectStore('turns', { keyPath: 'id' }).createIndex('conversation', 'conversation');
      },
      // Closing unblocks an upgrade or a deletion in another tab. The next use opens the database again.
      blocking: () => void this.close(),
      terminated: () => {
        this.#opened = undefined;
      },
    }).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  /** Newest first. */
  async list(): Promise<Conversation[]> {
    const all = await (await this.#open()).getAll('conversations');
    return all.sort((a, b) => b.updated - a.updated);
  }

  async conversation(id: string): Promise<Conversation | undefined> {
    return (await this.#open()).get('conversations', id);
  }

  /** The turns of a conversation, oldest first. */
  async turns(conversation: string): Promise<Turn[]> {
    const turns = await (await this.#open()).getAllFromIndex('turns', 'conversation', conversation);
    return turns.sort((a, b) => a.at - b.at);
  }

  async turn(id: string): Promise<Turn | undefined> {
    return (await this.#open()).get('turns', id);
  }

  /** Stores everything in one transaction. */
  async put(conversation: Conversation | undefined, turns: readonly Turn[] = []): Promise<void> {
    const transaction = (await this.#open()).transaction(['conversations', 'turns'], 'readwrite');
    await Promise.all([
      conversation && transaction.objectStore('conversations').put(conversation),
      ...turns.map((turn) => transaction.objectStore('turns').put(turn)),
      transaction.done,
    ]);
  }

  /** Stores a turn unless another tab has deleted its conversation. Returns whether it was stored. */
  async putTurn(turn: Turn): Promise<boolean> {
    const transaction = (await this.#open()).transaction(['conversations', 'turns'], 'readwrite');
    const conversationExists = (await transaction.objectStore('conversations').count(turn.conversation)) > 0;
    if (conversationExists) await transaction.objectStore('turns').put(turn);
    await transaction.done;
    return conversationExists;
  }

  async delete(id: string): Promise<void> {
    const transaction = (await this.#open()).transaction(['conversations', 'turns'], 'readwrite');
    await transaction.objectStore('conversations').delete(id);
    const turns = transaction.objectStore('turns');
    for (const key of await turns.index('conversation').getAllKeys(id)) await turns.delete(key);
    await transaction.done;
  }

  /** Ids of the conversations whose title and turns contain all words of the text. */
  async search(text: string): Promise<Set<string>> {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const found = new Set<string>();
    const missing = new Map<string, Set<string>>();
    const look = (id: string, content: string) => {
      const missingWords = missing.get(id) ?? new Set(words);
      missing.set(id, missingWords);
      const lower = content.toLowerCase();
      for (const word of missingWords) if (lower.includes(word)) missingWords.delete(word);
      if (missingWords.size === 0) found.add(id);
    };
    const transaction = (await this.#open()).transaction(['conversations', 'turns']);
    for await (const { value } of transaction.objectStore('conversations')) look(value.id, value.title);
    for await (const { value } of transaction.objectStore('turns')) look(value.conversation, value.content);
    return found;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    (await opened?.catch(() => undefined))?.close();
  }
}
