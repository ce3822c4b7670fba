/** A server of models that answers from a script, by the APIs of OpenAI and Ollama. */

export interface ScriptedAnswer {
  text?: string;
  /** `args`: an object, or the text that a model wrote instead. */
  tools?: { name: string; args: unknown }[];
  /** An error, with its body. */
  status?: number;
  body?: unknown;
  /** The body as it is. */
  raw?: string;
  /** The stream breaks after this many words. */
  breakAfter?: number;
  /** Milliseconds before the answer. */
  delay?: number;
}

/** A request that reached the server. */
export interface ModelRequest {
  method: string;
  /** Path and query. */
  url: string;
  body: unknown;
  /** A request to another path than those of models. */
  aux?: boolean;
}

export interface ScriptedModelsOptions {
  answers: ScriptedAnswer[];
  /** Chooses the answer of a request: its place in `answers`. Default: one after the other. */
  choose?(request: ModelRequest, used: ReadonlySet<number>): number | undefined;
  /** The vector of a text. */
  vector?(text: string): number[];
}

const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const JSON_TYPE = { 'content-type': 'application/json' };

export class ScriptedModels {
  readonly requests: ModelRequest[] = [];
  readonly #used = new Set<number>();
  #calls = 0;

  constructor(private readonly options: ScriptedModelsOptions) {}

  async answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const received: ModelRequest = { method: request.method, url: pathname + search, body: parsed(text) };
    const isModelPath = /^\/(v1\/(chat\/completions|responses|embeddings)|api\/(chat|embed))$/.test(pathname);
    this.requests.push(isModelPath ? received : { ...received, aux: true });
    if (!isModelPath) return auxiliary(received, request.headers.get('content-type'));
    const body = received.body as Record<string, unknown>;
    if (pathname.endsWith('/embeddings')) return this.#openAiVectors(body);
    if (pathname === '/api/embed') return this.#ollamaVectors(body);
    const answer = this.#next(received);
    if (answer.delay) await new Promise((resolve) => setTimeout(resolve, answer.delay));
    if (answer.status) return failure(answer, pathname.startsWith('/api/'));
    if (answer.raw !== undefined) return new Response(answer.raw, { headers: JSON_TYPE });
    const tools = (answer.tools ?? []).map((tool) => ({ ...tool, id: `call_${++this.#calls}` }));
    const parts = { text: answer.text ?? '', tools, model: body.model, breakAfter: answer.breakAfter };
    if (pathname === '/api/chat') return lines(ollamaPieces(parts), parts);
    if (pathname.endsWith('/responses'))
      return body.stream ? events(responsePieces(parts), parts) : json(response(parts));
    return body.stream ? events(chatPieces(parts), parts) : json(completion(parts));
  }

  #next(request: ModelRequest): ScriptedAnswer {
    const { answers, choose } = this.options;
    let index = choose?.(request, this.#used);
    if (index === undefined || index >= answers.length)
      index = answers.findIndex((_, place) => !this.#used.has(place));
    if (index < 0) return { text: '(no more answers)' };
    this.#used.add(index);
    return answers[index]!;
  }

  #vector(text: unknown): number[] {
    return this.options.vector?.(String(text)) ?? [String(text).length, 1, 0, 0, 0, 0, 0, 0];
  }

  #openAiVectors({ input, model, encoding_format: format }: Record<string, unknown>): Response {
    const data = [input].flat().map((text, index) => {
      const vector = this.#vector(text);
      const embedding =
        format === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;
      return { object: 'embedding', index, embedding };
    });
    return json({ object: 'list', data, model, usage: USAGE });
  }

  #ollamaVectors({ input, model }: Record<string, unknown>): Response {
    return json({ model, embeddings: [input].flat().map((text) => this.#vector(text)) });
  }
}

interface AnswerParts {
  text: string;
  tools: { id: string; name: string; args: unknown }[];
  model: unknown;
  breakAfter: number | undefined;
}

const words = (text: string) => text.match(/\S+\s*|\s+/g) ?? [];
const written = (args: unknown) => (typeof args === 'string' ? args : JSON.stringify(args));
const finish = ({ tools }: AnswerParts) => (tools.length > 0 ? 'tool_calls' : 'stop');
const toolCalls = ({ tools }: AnswerParts) =>
  tools.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: written(args) } }));

function completion(parts: AnswerParts): object {
  const calls = toolCalls(parts);
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: parts.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: parts.text, ...(calls.length > 0 && { tool_calls: calls }) },
        finish_reason: finish(parts),
      },
    ],
    usage: USAGE,
  };
}

function chatPieces(parts: AnswerParts): object[] {
  const chunk = (delta: object, reason: string | null = null) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: parts.model,
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words(parts.text).map((content) => chunk({ content })),
    ...toolCalls(parts).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    chunk({}, finish(parts)),
    { ...chunk({}), choices: [], usage: USAGE },
  ];
}

function response({ text, tools, model }: AnswerParts): object {
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model,
    output: [
      ...(text || tools.length === 0
        ? [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]
        : []),
      ...tools.map(({ id, name, args }) => ({
        type: 'function_call',
        call_id: id,
        name,
        arguments: written(args),
      })),
    ],
    usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
  };
}

function responsePieces(parts: AnswerParts): object[] {
  return [
    ...words(parts.text).map((delta) => ({ type: 'response.output_text.delta', delta })),
    { type: 'response.completed', response: response(parts) },
  ];
}

function ollamaPieces({ text, tools, model }: AnswerParts): object[] {
  const calls = tools.map(({ name, args }) => ({ function: { name, arguments: args } }));
  return [
    ...words(text).map((content) => ({ model, message: { role: 'assistant', content }, done: false })),
    ...(calls.length > 0
      ? [{ model, message: { role: 'assistant', content: '', tool_calls: calls }, done: false }]
      : []),
    {
      model,
      message: { role: 'assistant', content: '' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 11,
      eval_count: 7,
    },
  ];
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: JSON_TYPE });
}

const lines = (pieces: object[], parts: AnswerParts) =>
  stream(
    pieces.map((piece) => `${JSON.stringify(piece)}\n`),
    'application/x-ndjson',
    parts.breakAfter,
  );

const events = (pieces: object[], parts: AnswerParts) =>
  stream(
    [...pieces.map((piece) => `data: ${JSON.stringify(piece)}\n\n`), 'data: [DONE]\n\n'],
    'text/event-stream',
    parts.breakAfter,
  );

function stream(pieces: string[], type: string, breakAfter: number | undefined): Response {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === breakAfter) return controller.error(new TypeError('terminated'));
      if (sent >= pieces.length) return controller.close();
      controller.enqueue(new TextEncoder().encode(pieces[sent++]));
    },
  });
  return new Response(body, { headers: { 'content-type': type } });
}

function failure({ status = 500, body }: ScriptedAnswer, ofOllama: boolean): Response {
  const message = `scripted ${status}`;
  const error =
    body ?? (ofOllama ? { error: message } : { error: { message, type: 'x', param: null, code: null } });
  return new Response(JSON.stringify(error), { status, headers: JSON_TYPE });
}

/** The targets of tools. */
function auxiliary({ method, url, body }: ModelRequest, type: string | null): Response {
  const { pathname, searchParams } = new URL(url, 'http://x');
  switch (pathname) {
    case '/weather':
      return json({ city: searchParams.get('city'), temp: 21 });
    case '/echo':
      return json({ method, query: Object.fromEntries(searchParams), body, ...(type && { ct: type }) });
    case '/list':
      return json([{ id: 1 }, { id: 2 }]);
    case '/text':
      return new Response('plain text', { headers: { 'content-type': 'text/plain' } });
    case '/page':
      return new Response('<html><head><title>T</title></head><body><h1>Title</h1><p>One</p></body></html>', {
        headers: { 'content-type': 'text/html' },
      });
    default:
      return new Response(JSON.stringify({ error: 'not found' }), { status: 404, headers: JSON_TYPE });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
