import { cut, type Fragment, parseFragment, paste, printFragment } from '../graph/fragment.ts';
import type { EditableGraph } from './editable-graph.ts';
import type { GroupEdits } from './group-edits.ts';

/** Pixels between what was copied and its copy. */
const OFFSET = 40;

/** Copies and pastes what is chosen. */
export class Clipboard {
  #kept: Fragment | undefined;
  #pastes = 0;

  constructor(
    private readonly state: EditableGraph,
    private readonly groups: GroupEdits,
  ) {}

  get canPaste(): boolean {
    return this.#kept !== undefined;
  }

  /** What is chosen, as text; it is kept here too. */
  copy(): string | undefined {
    const fragment = this.#chosen();
    if (!fragment) return undefined;
    this.#kept = fragment;
    this.#pastes = 0;
    this.state.changed();
    return printFragment(fragment);
  }

  cut(): string | undefined {
    const text = this.copy();
    if (text === undefined) return undefined;
    const { group } = this.state;
    this.state.delete(new Set(this.#kept?.nodes.map(({ id }) => id)));
    if (group !== undefined) this.groups.remove(group);
    return text;
  }

  /** From the text of a clipboard, else what was copied here; `at`: its upper left corner. False: nothing to paste. */
  paste(text?: string, at?: { x: number; y: number }): boolean {
    const fragment = (text !== undefined && parseFragment(text)) || (text === undefined && this.#kept);
    if (!fragment || fragment.nodes.length === 0) return false;
    this.#pastes += 1;
    this.put(fragment, at ?? beside(fragment, OFFSET * this.#pastes));
    return true;
  }

  duplicate(): void {
    const fragment = this.#chosen();
    if (fragment) this.put(fragment);
  }

  put(fragment: Fragment, at: { x: number; y: number } = beside(fragment, OFFSET)): void {
    const { state } = this;
    const { graph, ids } = paste(state.graph, fragment, at, state.namer());
    state.edit(graph);
    state.select(ids);
  }

  /** A group that is chosen comes with what is in it, and nodes with the groups that are chosen whole. */
  #chosen(): Fragment | undefined {
    const { groups } = this;
    const { group, selection, graph } = this.state;
    const chosen = groups.get(group);
    const ids = chosen ? new Set(groups.members(chosen)) : selection;
    if (ids.size === 0) return undefined;
    const whole = groups.all.filter((one) => {
      const members = groups.members(one);
      return members.length > 0 && members.every((id) => ids.has(id));
    });
    return cut(graph, ids, whole);
  }
}

function beside({ nodes }: Fragment, offset: number): { x: number; y: number } {
  return {
    x: Math.min(...nodes.map(({ x }) => x)) + offset,
    y: Math.min(...nodes.map(({ y }) => y)) + offset,
  };
}
