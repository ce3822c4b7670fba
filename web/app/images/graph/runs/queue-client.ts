import { ApiClientError } from '#web/app/api-client.ts';
import {
  type ExactJsonObject,
  isJsonObject,
  type JsonValue,
  parseExactJson,
} from '#web/app/graph-editor/graph/value.ts';
import { commonStrings } from '../../../strings/common.ts';
import type { BackendConnection, ImageFile } from '../../image-client.ts';
import { asList, objectsIn } from '../formats/saved-fields.ts';

/** A prompt that was submitted to the server. */
export interface SubmittedRun {
  id: string;
  /** The graph in API format. */
  prompt: ExactJsonObject;
  /** The graph in the saved format, with its layout. */
  workflow?: ExactJsonObject;
}

export interface FinishedRun extends SubmittedRun {
  outcome: 'done' | 'failed' | 'stopped';
  images: ImageFile[];
  /** The server's error message. */
  error?: string;
  /** Milliseconds since 1970. */
  startedAt?: number;
  /** Duration in milliseconds. */
  duration?: number;
}

/** Client of the server's queue and history, which contain the prompts of all clients. */
export class QueueClient {
  constructor(private readonly connection: BackendConnection) {}

  async queue(): Promise<{ running: SubmittedRun[]; waiting: SubmittedRun[] }> {
    const queue = await this.#read('/queue');
    const numbered = (rows: JsonValue | undefined) =>
      asList(rows)
        .map(asList)
        .sort((a, b) => Number(a[0]) - Number(b[0]))
        .flatMap(readRun);
    return { running: numbered(queue.queue_running), waiting: numbered(queue.queue_pending) };
  }

  /** The last runs, newest first; at most `limit`. */
  async history(limit: number): Promise<FinishedRun[]> {
    const history = await this.#read(`/history?max_items=${limit}`);
    return Object.values(history)
      .flatMap((entry) => (isJsonObject(entry) ? readFinishedRun(entry) : []))
      .reverse();
  }

  /** Removes a waiting prompt from the queue. */
  async withdraw(id: string): Promise<void> {
    await this.#post('/queue', { delete: [id] });
  }

  async clearQueue(): Promise<void> {
    await this.#post('/queue', { clear: true });
  }

  async interrupt(id: string): Promise<void> {
    await this.#post('/interrupt', { prompt_id: id });
  }

  /** Deletes a run from the history. Its images stay. */
  async forget(id: string): Promise<void> {
    await this.#post('/history', { delete: [id] });
  }

  async clearHistory(): Promise<void> {
    await this.#post('/history', { clear: true });
  }

  async viewFile({ filename, subfolder, type }: ImageFile): Promise<Blob> {
    return (await this.#answer(`/view?${new URLSearchParams({ filename, subfolder, type })}`)).blob();
  }

  /** Calls `changed` whenever the queue changes. Resolves when the signal aborts or the connection closes. */
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

  async #read(path: string): Promise<ExactJsonObject> {
    const value = parseExactJson(await (await this.#answer(path)).text());
    return isJsonObject(value) ? value : {};
  }

  async #post(path: string, body: object): Promise<void> {
    await this.#answer(path, { method: 'POST', body: JSON.stringify(body) });
  }

  async #answer(path: string, init?: RequestInit): Promise<Response> {
    const response = await this.connection.fetch(path, init);
    if (!response.ok)
      throw new ApiClientError(
        (await response.text()) || commonStrings.failures.status(path, response.status),
      );
    return response;
  }
}

/** `[number, id, graph, extra data, …]` */
function readRun([, id, prompt, extra]: JsonValue[]): SubmittedRun[] {
  if (typeof id !== 'string' || !isJsonObject(prompt)) return [];
  const info = isJsonObject(extra) && isJsonObject(extra.extra_pnginfo) ? extra.extra_pnginfo : {};
  return [{ id, prompt, ...(isJsonObject(info.workflow) && { workflow: info.workflow }) }];
}

function readFinishedRun({ prompt, outputs, status }: ExactJsonObject): FinishedRun[] {
  const messages = isJsonObject(status) ? asList(status.messages).map(asList) : [];
  const eventData = (type: string) => {
    const data = messages.find(([name]) => name === type)?.[1];
    return isJsonObject(data) ? data : undefined;
  };
  const failure = eventData('execution_error');
  const stopped = eventData('execution_interrupted');
  const [start, end] = [
    eventData('execution_start'),
    failure ?? stopped ?? eventData('execution_success'),
  ].map((data) => (typeof data?.timestamp === 'number' ? data.timestamp : undefined));
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
