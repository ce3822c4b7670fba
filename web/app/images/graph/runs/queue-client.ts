import { ApiClientError } from '#web/app/api-client.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseExactJson,
} from '#web/app/graph-editor/graph/value.ts';
import type { Connection, ImageFile } from '../../image-client.ts';
import { asList, objectsIn } from '../formats/saved-fields.ts';

/** A graph that was handed in. */
export interface SubmittedRun {
  id: string;
  /** As it runs. */
  prompt: JsonObject;
  /** As its editor saved it, with places. */
  workflow?: JsonObject;
}

export interface FinishedRun extends SubmittedRun {
  outcome: 'done' | 'failed' | 'stopped';
  images: ImageFile[];
  /** What went wrong, in the server's words. */
  error?: string;
  /** Milliseconds since 1970. */
  startedAt?: number;
  /** Milliseconds. */
  duration?: number;
}

/** The server's queue and history: of all that hand graphs in, not of this page alone. */
export class QueueClient {
  constructor(private readonly connection: Connection) {}

  async queue(): Promise<{ running: SubmittedRun[]; waiting: SubmittedRun[] }> {
    const queue = await this.#read('/queue');
    const numbered = (rows: JsonValue | undefined) =>
      asList(rows)
        .map(asList)
        .sort((a, b) => Number(a[0]) - Number(b[0]))
        .flatMap(readRun);
    return { running: numbered(queue.queue_running), waiting: numbered(queue.queue_pending) };
  }

  /** The newest first. */
  async history(most: number): Promise<FinishedRun[]> {
    const history = await this.#read(`/history?max_items=${most}`);
    return Object.values(history)
      .flatMap((entry) => (isJsonObject(entry) ? readFinishedRun(entry) : []))
      .reverse();
  }

  /** Takes it out of the queue. */
  async withdraw(id: string): Promise<void> {
    await this.#post('/queue', { delete: [id] });
  }

  async clearQueue(): Promise<void> {
    await this.#post('/queue', { clear: true });
  }

  async interrupt(id: string): Promise<void> {
    await this.#post('/interrupt', { prompt_id: id });
  }

  /** Its pictures stay. */
  async forget(id: string): Promise<void> {
    await this.#post('/history', { delete: [id] });
  }

  async clearHistory(): Promise<void> {
    await this.#post('/history', { clear: true });
  }

  async picture({ filename, subfolder, type }: ImageFile): Promise<Blob> {
    return (await this.#answer(`/view?${new URLSearchParams({ filename, subfolder, type })}`)).blob();
  }

  /** Calls `changed` whenever the queue is another, until the signal ends it or the connection does. */
  follow(changed: () => void, signal: AbortSignal): Promise<void> {
    const socket = this.connection.connect(`/ws?clientId=${crypto.randomUUID()}`);
    return new Promise((resolve) => {
      socket.onmessage = ({ data }: MessageEvent) => {
        if (typeof data === 'string' && /"type":\s*"status"/.test(data)) changed();
      };
      socket.onclose = socket.onerror = () => resolve();
      signal.addEventListener('abort', () => {
        socket.close();
        resolve();
      });
    });
  }

  async #read(path: string): Promise<JsonObject> {
    const value = parseExactJson(await (await this.#answer(path)).text());
    return isJsonObject(value) ? value : {};
  }

  async #post(path: string, body: object): Promise<void> {
    await this.#answer(path, { method: 'POST', body: JSON.stringify(body) });
  }

  async #answer(path: string, init?: RequestInit): Promise<Response> {
    const response = await this.connection.fetch(path, init);
    if (!response.ok)
      throw new ApiClientError((await response.text()) || `${path}: the server answered ${response.status}`);
    return response;
  }
}

/** `[number, id, graph, extra data, …]` */
function readRun([, id, prompt, extra]: JsonValue[]): SubmittedRun[] {
  if (typeof id !== 'string' || !isJsonObject(prompt)) return [];
  const info = isJsonObject(extra) && isJsonObject(extra.extra_pnginfo) ? extra.extra_pnginfo : {};
  return [{ id, prompt, ...(isJsonObject(info.workflow) && { workflow: info.workflow }) }];
}

function readFinishedRun({ prompt, outputs, status }: JsonObject): FinishedRun[] {
  const messages = isJsonObject(status) ? asList(status.messages).map(asList) : [];
  const said = (type: string) => {
    const data = messages.find(([name]) => name === type)?.[1];
    return isJsonObject(data) ? data : undefined;
  };
  const failure = said('execution_error');
  const stopped = said('execution_interrupted');
  const [start, end] = [said('execution_start'), failure ?? stopped ?? said('execution_success')].map(
    (data) => (typeof data?.timestamp === 'number' ? data.timestamp : undefined),
  );
  const images = Object.values(isJsonObject(outputs) ? outputs : {}).flatMap((output) =>
    isJsonObject(output) ? objectsIn(output.images) : [],
  );
  return readRun(asList(prompt)).map((run) => ({
    ...run,
    outcome: failure ? 'failed' : stopped ? 'stopped' : 'done',
    images: images as unknown as ImageFile[],
    ...(failure && { error: `${failure.node_type}: ${String(failure.exception_message).trim()}` }),
    ...(start !== undefined && { startedAt: start }),
    ...(start !== undefined && end !== undefined && { duration: end - start }),
  }));
}
