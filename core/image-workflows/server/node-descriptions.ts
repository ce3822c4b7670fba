import { listedOnce } from '../files/listed-once.ts';
import type { WorkflowFiles } from '../files/workflow-files.ts';
import { describeNode } from '../nodes/kernel/describe.ts';
import type { AnyNode, Inputs } from '../nodes/kernel/node-type.ts';
import { pythonJson, RawJson } from '../python/python-json.ts';

/** Descriptions of node types as JSON. One that lists no files never changes, so it is printed once. */
export class NodeDescriptions {
  readonly #printed = new Map<AnyNode, RawJson>();
  constructor(private readonly files: WorkflowFiles) {}

  /** The descriptions by the names of the nodes. */
  async describeAll(types: Iterable<AnyNode>): Promise<Map<string, RawJson>> {
    const files = listedOnce(this.files);
    const entries = [...types].map(async (type) => [type.name, await this.describe(type, files)] as const);
    return new Map(await Promise.all(entries));
  }

  async describe(type: AnyNode, files = this.files): Promise<RawJson> {
    const printed = this.#printed.get(type);
    if (printed) return printed;
    const description = new RawJson(pythonJson(await describeNode(type, files)));
    if (!listsFiles(type)) this.#printed.set(type, description);
    return description;
  }
}

/** Whether the choices of an input are files or models. Their list may change, so each request lists them anew. */
function listsFiles(type: AnyNode): boolean {
  return Object.values(type.inputs as Inputs).some(
    (input) => typeof input.type !== 'string' && typeof input.type.choices === 'function',
  );
}
