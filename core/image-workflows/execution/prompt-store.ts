import type { RecordChange, RecordCollection, Records } from '#core/host';
import { readGraph } from '../graph/graph.ts';
import { pythonValueJson } from '../python/python-json.ts';
import { isPythonObject, type PythonObject, parsePythonJson } from '../python/python-value.ts';
import type { Prompt } from './prompt.ts';
import { PROMPT_QUEUE } from './unfinished-prompts.ts';

/** A prompt as it is stored, and sent to other processes. */
export interface PromptRecord {
  sequence: number;
  id: string;
  number: number;
  numberJson: string;
  graphJson: string;
  extraJson: string;
  clientId?: string;
  outputs: string[];
  createdAt: number;
  attempts: number;
  process?: string;
  traceparent?: string;
}

/** Members of `extra_data` that are never stored. */
const SECRETS = ['api_key_comfy_org', 'auth_token_comfy_org'];

export function withoutSecrets(extraData: PythonObject): PythonObject {
  return new Map([...extraData].filter(([name]) => !SECRETS.includes(name)));
}

/** The records of prompts that wait or run. A restarted server continues with them. */
export class PromptStore {
  readonly #records: RecordCollection<PromptRecord>;
  constructor(records: Records) {
    this.#records = records.collection(PROMPT_QUEUE);
  }

  /** All prompts in the order of arrival. A record that cannot be read is deleted. */
  async load(): Promise<Prompt[]> {
    const found = await this.#records.list({ index: 'sequence' });
    const prompts: Prompt[] = [];
    for (const { key, doc } of found) {
      try {
        prompts.push(fromRecord(doc));
      } catch {
        await this.#records.delete(key);
      }
    }
    return prompts;
  }

  put(prompt: Prompt): Promise<void> {
    return this.#records.put(String(prompt.sequence), toRecord(prompt));
  }

  /** Stores the prompt, as one of several changes that are written together. */
  changeOf(prompt: Prompt): RecordChange {
    return { collection: PROMPT_QUEUE, key: String(prompt.sequence), doc: toRecord(prompt) };
  }

  async delete({ sequence }: Prompt): Promise<void> {
    await this.#records.delete(String(sequence));
  }

  /** Deletes the prompt, as one of several changes that are written together. */
  deletionOf({ sequence }: Prompt): RecordChange {
    return { collection: PROMPT_QUEUE, key: String(sequence) };
  }
}

/** @throws when the record holds no prompt */
export function fromRecord(doc: PromptRecord): Prompt {
  const extra = parsePythonJson(doc.extraJson);
  return {
    id: doc.id,
    number: doc.number,
    numberJson: doc.numberJson,
    graph: readGraph(parsePythonJson(doc.graphJson)),
    graphJson: doc.graphJson,
    extraData: isPythonObject(extra) ? extra : new Map(),
    clientId: doc.clientId,
    outputs: doc.outputs,
    createdAt: doc.createdAt,
    sequence: doc.sequence,
    attempts: doc.attempts,
    ...(doc.process !== undefined && { process: doc.process }),
    ...(doc.traceparent !== undefined && { traceparent: doc.traceparent }),
  };
}

export function toRecord(prompt: Prompt): PromptRecord {
  const {
    id,
    number,
    numberJson,
    graphJson,
    outputs,
    createdAt,
    sequence,
    attempts,
    clientId,
    process,
    traceparent,
  } = prompt;
  return {
    sequence,
    id,
    number,
    numberJson,
    graphJson,
    extraJson: pythonValueJson(withoutSecrets(prompt.extraData)),
    ...(clientId !== undefined && { clientId }),
    outputs,
    createdAt,
    attempts,
    ...(process !== undefined && { process }),
    ...(traceparent !== undefined && { traceparent }),
  };
}
