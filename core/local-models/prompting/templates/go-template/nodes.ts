/** The parsed form of a Go template. */

/** A sequence of nodes. */
export interface ListNode {
  kind: 'list';
  nodes: GoTemplateNode[];
}
export interface TextNode {
  kind: 'text';
  text: string;
}
export interface ActionNode {
  kind: 'action';
  line: number;
  pipe: PipeNode;
}
export interface BranchNode {
  kind: 'if' | 'range' | 'with';
  line: number;
  pipe: PipeNode;
  list: ListNode;
  elseList?: ListNode;
}
export type LoopControlNode = { kind: 'break'; line: number } | { kind: 'continue'; line: number };
export interface TemplateNode {
  kind: 'template';
  line: number;
  name: string;
  pipe?: PipeNode;
}
/** A node of a parsed Go template. */
export type GoTemplateNode = ListNode | TextNode | ActionNode | BranchNode | LoopControlNode | TemplateNode;

/** Commands joined by `|`: each gets the result of the one before it. */
export interface PipeNode {
  kind: 'pipe';
  line: number;
  /** The names in `$x := …` or `$x = …`. A `range` may have two. */
  variables: string[];
  /** Whether `=` assigns to existing variables. */
  assigns: boolean;
  commands: CommandNode[];
}
export interface CommandNode {
  kind: 'command';
  operands: Operand[];
}

/** An argument of a command in a Go template. */
export type Operand =
  | PipeNode
  | { kind: 'dot' }
  | { kind: 'nil' }
  | { kind: 'literal'; value: string | number | boolean; source: string }
  | { kind: 'identifier'; name: string }
  /** `.A.B` */
  | { kind: 'field'; path: string[] }
  /** `$x.A.B`. The name includes the `$`. */
  | { kind: 'variable'; name: string; path: string[] }
  /** `(pipeline).A.B` */
  | { kind: 'chain'; node: Operand; path: string[] };
