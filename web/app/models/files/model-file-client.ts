import { ApiClientError } from '../../api-client.ts';
import type { BackendConnection } from '../../servers/connection.ts';
import { modelFileStrings } from '../../strings/model-files.ts';

/** Bytes [start, end). */
type ByteRange = [start: number, end: number];

/** The answer about a file. `kind` and its `folder` are missing when the kind is unclear. */
export interface FoundKind {
  kind?: string;
  folder?: string;
  /** The folders to choose from. */
  folders?: string[];
  /** The file is a language model. With `folders`, it is a text encoder as well. */
  isLanguageModel?: boolean;
}

/** Bytes of a request. The page holds one piece at a time. */
const PIECE = 8 * 1024 * 1024;
/** Attempts to send a piece, and milliseconds between them. */
const ATTEMPTS = 4;
const DELAY = 500;

/** Adds files of models to the server's folders. Errors carry the server's message. */
export class ModelFileClient {
  constructor(private readonly connection: Pick<BackendConnection, 'fetch'>) {}

  /** Finds the kind by the parts of the file that the server asks for. */
  async kindOf(file: File, signal: AbortSignal): Promise<FoundKind> {
    const ranges: ByteRange[] = [];
    for (;;) {
      const body = new FormData();
      body.append('name', file.name);
      body.append('size', String(file.size));
      body.append('ranges', JSON.stringify(ranges));
      body.append('bytes', new Blob(ranges.map(([start, end]) => file.slice(start, end))));
      const answer = await this.#post<FoundKind & { need?: ByteRange[] }>('model_kind', { body, signal });
      if (!answer.need) return answer;
      ranges.push(...answer.need);
    }
  }

  /** Sends the file in pieces. It is in no list before its last piece arrived. */
  async add(
    file: File,
    folder: string,
    onProgress: (completed: number) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const query = new URLSearchParams({ folder, name: file.name, size: String(file.size) });
    const { id } = await this.#post<{ id: string }>(`model_files?${query}`, { signal });
    try {
      for (let start = 0; start < file.size; start += PIECE) {
        await this.#sendPiece(id, start, file.slice(start, start + PIECE), signal);
        onProgress(Math.min(start + PIECE, file.size));
      }
      await this.#post(`model_files/${id}/finish`, { signal });
    } catch (error) {
      const path = `/internal/model_files/${id}`;
      await this.connection.fetch(path, { method: 'DELETE' }).catch(() => {});
      throw error;
    }
  }

  /** Repeats the request when no answer comes: the server ignores a piece that it has. */
  async #sendPiece(id: string, start: number, body: Blob, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#post(`model_files/${id}/piece?start=${start}`, { body, signal });
        return;
      } catch (error) {
        if (signal.aborted || error instanceof ServerRefusal || attempt === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, DELAY * attempt));
      }
    }
  }

  async #post<T>(path: string, init: RequestInit): Promise<T> {
    const response = await this.connection.fetch(`/internal/${path}`, { ...init, method: 'POST' });
    const text = await response.text();
    let answer: { error?: string };
    try {
      answer = JSON.parse(text) as { error?: string };
    } catch {
      throw new ApiClientError(modelFileStrings.stopped);
    }
    if (!response.ok) throw new ServerRefusal(answer.error ?? text);
    return answer as T;
  }
}

/** The server answered with an error. */
class ServerRefusal extends ApiClientError {}
