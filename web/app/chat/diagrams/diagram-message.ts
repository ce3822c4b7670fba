/** The messages between the page and the frame that draws diagrams. */

export interface DiagramRequest {
  /** In Mermaid's notation. */
  text: string;
  dark: boolean;
}

export type DiagramResult =
  /** `svg` is a complete document. Sizes are CSS pixels. `title`: as the diagram states it. */
  { svg: string; width: number; height: number; title: string; background: string } | { error: string };
