/** A client of the Ollama API. Errors carry the server's message. */
import { commonStrings } from './strings/common.ts';

export interface AnswerToolCall {
  id?: string;
  function: { name: string; arguments: Record<string, unknown> };
}

export interface ChatAnswerLine {
  message?: { role: string; content: string; thinking?: string; tool_calls?: AnswerToolCall[] };
  done: boolean;
  done_reason?: string;
  eval_count?: number;
  eval_duration?: number;
  prompt_eval_count?: number;
  load_duration?: number;
  error?: string;
}

export interface PullLine {
  status?: string;
  digest?: string;
  total?: number;
  completed?: number;
  error?: string;
}

export interface ModelListEntry {
  name: string;
  size: number;
  digest: string;
  modified_at: string;
  details: {
    format: string;
    parameter_size: string;
    quantization_level: string;
    family: string;
    context_length?: number;
  };
  capabilities?: string[];
}

export interface LoadedModelEntry {
  name: string;
  size: number;
  size_vram: number;
  context_length: number;
  expires_at: string;
}

export interface Recommendation {
  model: string;
  description: string;
  /** As its publisher states it: `135M`, `1.7B`. */
  parameter_size?: string;
  license?: string;
  /** Absent when the server does not know them. */
  capabilities?: string[];
  /** Bytes of the download. */
  size?: number;
  /** Bytes of GPU memory that the model needs. */
  vram_bytes?: number;
}

/** A file of weights that published graphs name. */
export interface PublishedFile {
  name: string;
  folder: string;
  /** A name for a pull: `hf.co/user/repo/path`. */
  source: string;
  license?: string;
  /** Bytes, within some percent. */
  about_size?: number;
}

/** The fields of an `/api/show` response that the app shows. */
export interface ModelInfo {
  license?: string;
  system?: string;
  template?: string;
  parameters?: string;
  capabilities?: string[];
}

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export class ApiClientError extends Error {
  override name = 'ApiFailure';
  /** The status of the response, when that is not 200. */
  readonly status: number | undefined;
  /** Whether a stream ended before its final line. */
  readonly isIncomplete: boolean;

  constructor(message: string, options: ErrorOptions & { status?: number; isIncomplete?: boolean } = {}) {
    super(message, options);
    this.status = options.status;
    this.isIncomplete = options.isIncomplete ?? false;
  }
}

export class ModelsClient {
  constructor(readonly fetch: Fetch) {}

  async installed(): Promise<ModelListEntry[]> {
    return (await this.#json<{ models: ModelListEntry[] }>('/api/tags')).models;
  }

  async running(): Promise<LoadedModelEntry[]> {
    return (await this.#json<{ models: LoadedModelEntry[] }>('/api/ps')).models;
  }

  async recommended(): Promise<Recommendation[]> {
    const path = '/api/experimental/model-recommendations';
    return (await this.#json<{ recommendations: Recommendation[] }>(path)).recommendations;
  }

  /** Those of the names that the server's list of published files has. */
  async published(names: readonly string[]): Promise<PublishedFile[]> {
    const query = new URLSearchParams(names.map((name) => ['name', name]));
    const path = `/api/experimental/published-files?${query}`;
    return (await this.#json<{ files: PublishedFile[] }>(path)).files;
  }

  async show(model: string): Promise<ModelInfo> {
    return (await this.#request('/api/show', post({ model }))).json() as Promise<ModelInfo>;
  }

  async delete(model: string): Promise<void> {
    await this.#request('/api/delete', { method: 'DELETE', body: JSON.stringify({ model }) });
  }

  async unload(model: string): Promise<void> {
    await this.#request('/api/generate', post({ model, keep_alive: 0, stream: false }));
  }

  /** @param request the body of `/api/chat` */
  chat(request: Record<string, unknown>, signal: AbortSignal): AsyncGenerator<ChatAnswerLine> {
    return this.#lines<ChatAnswerLine>('/api/chat', request, signal);
  }

  /** One vector for each text. */
  async embed(model: string, input: readonly string[], signal: AbortSignal): Promise<number[][]> {
    const response = await this.#request('/api/embed', { ...post({ model, input }), signal });
    return ((await response.json()) as { embeddings: number[][] }).embeddings;
  }

  pull(model: string, signal: AbortSignal): AsyncGenerator<PullLine> {
    return this.#lines<PullLine>('/api/pull', { model }, signal);
  }

  /** The text of an audio file. */
  async transcribe(model: string, file: File, signal: AbortSignal): Promise<string> {
    const body = new FormData();
    body.append('model', model);
    body.append('file', file);
    const response = await this.#request('/v1/audio/transcriptions', { method: 'POST', body, signal });
    return ((await response.json()) as { text: string }).text;
  }

  /** A text as speech: samples of 16 bits as they arrive, 24,000 a second. The model chooses the voice. */
  async speak(model: string, input: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const body = post({ model, input, response_format: 'pcm' });
    const response = await this.#request('/v1/audio/speech', { ...body, signal });
    return response.body as ReadableStream<Uint8Array>;
  }

  /** Generates one answer at temperature 0, to compare devices. */
  async probe(model: string, options: Record<string, unknown>, prompt: string, signal: AbortSignal) {
    const response = await this.#request('/api/generate', {
      ...post({ model, prompt, stream: false, options: { temperature: 0, seed: 1, ...options } }),
      signal,
    });
    return (await response.json()) as {
      response: string;
      eval_count: number;
      eval_duration: number;
      load_duration: number;
      prompt_eval_count: number;
      prompt_eval_duration: number;
    };
  }

  async #json<T>(path: string): Promise<T> {
    return (await this.#request(path)).json() as Promise<T>;
  }

  async #request(path: string, init?: RequestInit): Promise<Response> {
    const response = await this.fetch(path, init);
    if (response.ok) return response;
    const text = await response.text();
    let message = text;
    try {
      const { error } = JSON.parse(text) as { error?: string | { message?: string } };
      message = (typeof error === 'string' ? error : error?.message) ?? text;
    } catch {
      // The body is not JSON: its text is the message.
    }
    throw new ApiClientError(message || commonStrings.failures.status(path, response.status), {
      status: response.status,
    });
  }

  /** The lines of an NDJSON stream. Throws when the stream ends before its final line. */
  async *#lines<T extends { error?: string }>(
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): AsyncGenerator<T> {
    const response = await this.#request(path, { ...post(body), signal });
    const decoder = new TextDecoder();
    let buffer = '';
    let last: T | undefined;
    for await (const chunk of response.body as ReadableStream<Uint8Array>) {
      const lines = (buffer + decoder.decode(chunk, { stream: true })).split('\n');
      buffer = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') continue;
        last = JSON.parse(line) as T;
        if (last.error !== undefined) throw new ApiClientError(last.error);
        yield last;
      }
    }
    const ended = last as { done?: boolean; status?: string } | undefined;
    if (ended?.done === true || ended?.status === 'success') return;
    throw new ApiClientError(commonStrings.failures.incomplete, { isIncomplete: true });
  }
}

function post(body: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
