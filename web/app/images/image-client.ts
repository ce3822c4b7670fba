import { type ApiGraph, uploadImage } from '#core/api-client';
import type { NodeProblem } from '#web/app/graph-editor/state/graph-state.ts';
import { ApiClientError } from '../api-client.ts';
import type { BackendConnection } from '../servers/connection.ts';
import { commonStrings } from '../strings/common.ts';
import { imageStrings } from '../strings/images.ts';
import { kindOfFile } from './file-kind.ts';

export type { BackendConnection };

export interface ImageFile {
  filename: string;
  subfolder: string;
  type: string;
}

/** Files of a node, by their kinds. */
interface NodeFiles {
  images?: ImageFile[];
  audio?: ImageFile[];
  '3d'?: ImageFile[];
}

const filesOf = ({ images = [], audio = [], '3d': shapes = [] }: NodeFiles): ImageFile[] => [
  ...images,
  ...audio,
  ...shapes,
];

export interface FinishedPrompt {
  id: string;
  graph: ApiGraph;
  images: ImageFile[];
}

export type NodeProblems = ReadonlyMap<string, readonly NodeProblem[]>;

/** The server refused a graph. */
export class GraphRejectedError extends ApiClientError {
  override name = 'GraphRefused';
  constructor(
    message: string,
    readonly problems: NodeProblems,
  ) {
    super(message);
  }
}

/** A node failed while it ran. */
export class NodeFailedError extends ApiClientError {
  override name = 'NodeFailed';
  constructor(
    message: string,
    readonly node: string,
  ) {
    super(message);
  }
}

/** Progress of a submitted prompt. `step` counts from 1 within the node that reports it. */
export type PromptEvent =
  /** The prompt is in the queue. Output nodes with problems were left out. */
  | { type: 'accepted'; problems: NodeProblems }
  | { type: 'waiting'; ahead: number }
  /** The prompt runs. The nodes in `cached` are not run again. */
  | { type: 'started'; cached: string[] }
  | { type: 'node'; node: string }
  | { type: 'step'; step: number; steps: number }
  | { type: 'preview'; image: Blob }
  /** `files`: images, videos, audio and 3D shapes. */
  | { type: 'output'; node: string; files: ImageFile[]; texts: string[] }
  | { type: 'done' };

interface HistoryEntry {
  prompt: [number, string, ApiGraph, ...unknown[]];
  outputs: Record<string, NodeFiles>;
  status?: { status_str: string };
}

/** The app's client of the ComfyUI API. Errors have the server's messages. */
export class ImageClient {
  readonly #id = crypto.randomUUID();

  constructor(private readonly connection: BackendConnection) {}

  /** The text of `/object_info`: descriptions of all node types. */
  async objectInfo(): Promise<string> {
    return (await this.#answer('/object_info')).text();
  }

  /** Uploads an image. Resolves with the name by which nodes load it. */
  async upload(file: File): Promise<string> {
    const body = new FormData();
    body.append('image', file);
    const { name, subfolder } = (await (
      await this.#answer('/upload/image', { method: 'POST', body })
    ).json()) as { name: string; subfolder: string };
    return subfolder ? `${subfolder}/${name}` : name;
  }

  /** Stores a PNG file among the temporary files. Resolves with the name by which nodes load it. */
  uploadTemporary(image: Blob, signal: AbortSignal): Promise<string> {
    const localApis = { fetch: (path: string, init?: RequestInit) => this.connection.fetch(path, init) };
    return uploadImage({ localApis, signal }, image);
  }

  /** The choices of a required input of a node type. Empty when it has none. */
  async choices(type: string, input: string): Promise<string[]> {
    const info = (await this.#json(`/object_info/${type}`)) as Record<
      string,
      { input: { required: Record<string, [unknown, ...unknown[]]> } }
    >;
    const choices = info[type]?.input.required[input]?.[0];
    return Array.isArray(choices) ? choices.map(String) : [];
  }

  /** The image size in pixels for which a checkpoint was trained, from its metadata. */
  async resolution(checkpoint: string): Promise<[width: number, height: number] | undefined> {
    const path = `/view_metadata/checkpoints?filename=${encodeURIComponent(checkpoint)}`;
    const response = await this.connection.fetch(path);
    if (!response.ok) return undefined;
    const { 'modelspec.resolution': size } = (await response.json()) as Record<string, string>;
    const found = /^(\d+)x(\d+)$/.exec(size ?? '');
    return found ? [Number(found[1]), Number(found[2])] : undefined;
  }

  /** The last prompts with saved images, newest first; at most `limit`. */
  async finishedPrompts(limit: number): Promise<FinishedPrompt[]> {
    const history = (await this.#json(`/history?max_items=${limit}`)) as Record<string, HistoryEntry>;
    return Object.entries(history)
      .map(([id, { prompt, outputs }]) => ({
        id,
        graph: prompt[2],
        images: Object.values(outputs).flatMap(
          ({ images }) =>
            images?.filter(({ type, filename }) => type === 'output' && kindOfFile(filename) === 'image') ??
            [],
        ),
      }))
      .filter(({ images }) => images.length > 0)
      .reverse();
  }

  async viewFile({ filename, subfolder, type }: ImageFile): Promise<Blob> {
    const response = await this.#answer(`/view?${new URLSearchParams({ filename, subfolder, type })}`);
    return response.blob();
  }

  /** Deletes a saved image. */
  async deleteFile({ subfolder, filename }: ImageFile): Promise<void> {
    const path = [...subfolder.split('/').filter(Boolean), filename].map(encodeURIComponent).join('/');
    const response = await this.connection.fetch(`/internal/files/output/${path}`, { method: 'DELETE' });
    if (!response.ok && response.status !== 404) await failure(response);
  }

  /** Deletes a prompt from the history. Its images stay. */
  async deletePrompt(id: string): Promise<void> {
    await this.#answer('/history', { method: 'POST', body: JSON.stringify({ delete: [id] }) });
  }

  /**
   * Submits a graph and yields its progress until it is done. Throws `GraphRejectedError` or `NodeFailedError`. An
   * abort removes it from the queue or interrupts it. Saved images contain `savedText`, the graph with its layout.
   */
  async *run(graphText: string, signal: AbortSignal, savedText?: string): AsyncGenerator<PromptEvent> {
    const socket = await this.#open(signal);
    const messages = new Messages(socket);
    let id: string | undefined;
    let ended = false;
    try {
      const extra =
        savedText === undefined ? '' : `,"extra_data":{"extra_pnginfo":{"workflow":${savedText}}}`;
      const body = `{"client_id":${JSON.stringify(this.#id)},"prompt":${graphText}${extra}}`;
      // This request ignores the signal: if it were aborted, its graph could stay in the queue under an unknown id.
      const accepted = (await (await this.#answer('/prompt', { method: 'POST', body })).json()) as {
        prompt_id: string;
        node_errors?: NodeErrors;
      };
      id = accepted.prompt_id;
      signal.throwIfAborted();
      yield { type: 'accepted', problems: problemsOf(accepted.node_errors) };
      for await (const message of messages.read(signal)) {
        if (message instanceof Blob) {
          yield { type: 'preview', image: message };
          continue;
        }
        const { type, data } = message;
        if (type === 'status') {
          const ahead = data.status?.exec_info?.queue_remaining;
          if (typeof ahead === 'number') yield { type: 'waiting', ahead };
        }
        if (data.prompt_id !== id) continue;
        if (type === 'execution_cached') yield { type: 'started', cached: data.nodes ?? [] };
        if (type === 'executed' && data.node) {
          const { text = [] } = data.output ?? {};
          yield { type: 'output', node: data.node, files: filesOf(data.output ?? {}), texts: text };
        }
        if (type === 'executing' && data.node) yield { type: 'node', node: data.node };
        if (type === 'progress') yield { type: 'step', step: data.value!, steps: data.max! };
        ended =
          type === 'execution_success' || type === 'execution_error' || type === 'execution_interrupted';
        if (type === 'execution_error')
          throw new NodeFailedError(
            `${data.node_type}: ${data.exception_message?.trim()}`,
            data.node_id ?? '',
          );
        if (type === 'execution_interrupted') throw new DOMException('interrupted', 'AbortError');
        if (ended) {
          yield { type: 'done' };
          return;
        }
      }
      throw new ApiClientError(commonStrings.failures.imageCut);
    } finally {
      socket.close();
      if (id !== undefined && !ended) await this.#cancel(id);
    }
  }

  async #cancel(id: string): Promise<void> {
    const post = (path: string, body: unknown) =>
      this.connection.fetch(path, { method: 'POST', body: JSON.stringify(body) }).catch(() => undefined);
    await post('/queue', { delete: [id] });
    await post('/interrupt', { prompt_id: id });
  }

  #open(signal: AbortSignal): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const socket = this.connection.connect(`/ws?clientId=${this.#id}`);
      socket.binaryType = 'arraybuffer';
      socket.onopen = () => resolve(socket);
      socket.onerror = socket.onclose = () => reject(new ApiClientError(commonStrings.failures.socket));
      signal.addEventListener('abort', () => {
        socket.close();
        reject(signal.reason as Error);
      });
    });
  }

  async #json(path: string): Promise<unknown> {
    return (await this.#answer(path)).json();
  }

  async #answer(path: string, init?: RequestInit): Promise<Response> {
    const response = await this.connection.fetch(path, init);
    return response.ok ? response : failure(response);
  }
}

interface Message {
  type: string;
  data: {
    prompt_id?: string;
    node?: string | null;
    node_id?: string;
    nodes?: string[];
    output?: (NodeFiles & { text?: string[] }) | null;
    value?: number;
    max?: number;
    node_type?: string;
    exception_message?: string;
    status?: { exec_info?: { queue_remaining?: number } };
  };
}

/** Types of binary messages, and of the image in them: 32-bit big-endian integers. */
const PREVIEW = 1;
const PREVIEW_WITH_METADATA = 4;
const PNG = 2;

/** Buffers the messages of a socket until they are read. */
class Messages {
  #waiting: (Message | Blob)[] = [];
  #closed = false;
  #wake = () => {};

  constructor(socket: WebSocket) {
    socket.onmessage = ({ data }: MessageEvent) => {
      const message = typeof data === 'string' ? (JSON.parse(data) as Message) : preview(data as ArrayBuffer);
      if (message) this.#waiting.push(message);
      this.#wake();
    };
    socket.onclose = () => {
      this.#closed = true;
      this.#wake();
    };
  }

  async *read(signal: AbortSignal): AsyncGenerator<Message | Blob> {
    signal.addEventListener('abort', () => this.#wake());
    for (;;) {
      signal.throwIfAborted();
      const message = this.#waiting.shift();
      if (message) yield message;
      else if (this.#closed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

function preview(bytes: ArrayBuffer): Blob | undefined {
  const view = new DataView(bytes);
  const kind = view.getUint32(0);
  if (kind === PREVIEW) {
    return new Blob([bytes.slice(8)], { type: view.getUint32(4) === PNG ? 'image/png' : 'image/jpeg' });
  }
  if (kind !== PREVIEW_WITH_METADATA) return undefined;
  return new Blob([bytes.slice(8 + view.getUint32(4))]);
}

type NodeErrors = Record<
  string,
  {
    class_type: string;
    errors: { message: string; details: string; extra_info?: { input_name?: string } }[];
  }
>;

function problemsOf(errors: NodeErrors = {}): NodeProblems {
  return new Map(
    Object.entries(errors).map(([id, node]) => [
      id,
      node.errors.map(({ message, details, extra_info }) => ({
        input: extra_info?.input_name,
        message: details && details !== extra_info?.input_name ? `${message} (${details})` : message,
      })),
    ]),
  );
}

/** Throws the error of a response: its message, and the problems of each node. */
async function failure(response: Response): Promise<never> {
  const text = await response.text();
  let message = text;
  let problems: NodeProblems = new Map();
  try {
    const { error, node_errors = {} } = JSON.parse(text) as {
      error?: { type?: string; message: string; details?: string } | string;
      node_errors?: NodeErrors;
    };
    problems = problemsOf(node_errors);
    const nodes = Object.values(node_errors).flatMap(({ class_type, errors }) =>
      errors.map(({ message, details }) => `${class_type}: ${message} (${details})`),
    );
    message =
      nodes.length > 0 ? nodes.join('; ') : typeof error === 'string' ? error : (error?.message ?? text);
    if (typeof error === 'object' && error.type === 'prompt_no_outputs') message = imageStrings.noOutput;
    else if (nodes.length === 0 && typeof error === 'object' && error.details)
      message += ` (${error.details})`;
  } catch {
    // Not JSON: the text is the message.
  }
  if (problems.size > 0) throw new GraphRejectedError(message, problems);
  throw new ApiClientError(message || commonStrings.failures.status(response.url, response.status));
}
