/** SVG images saved to files. */
import type { Svg } from '../../values/media.ts';
import { METADATA_INPUTS } from '../kernel/common-inputs.ts';
import { link, string } from '../kernel/inputs.ts';
import { type AnyNode, node } from '../kernel/node-type.ts';
import { saveFiles } from '../kernel/save-files.ts';

/** Inserts the metadata as the first element of an SVG. */
function withMetadata(svg: string, texts: Readonly<Record<string, string>>): string {
  const entries = Object.entries(texts);
  if (entries.length === 0) return svg;
  const json = `{${entries.map(([name, text]) => `${JSON.stringify(name)}: ${text}`).join(',\n')}}`;
  // `]]>` would end the CDATA section.
  const section = json.replaceAll(']]>', ']]]]><![CDATA[>');
  return svg.replace(/<svg(\s(?:"[^"]*"|'[^']*'|[^>"'])*)?>/, (tag) =>
    tag.endsWith('/>') ? tag : `${tag}\n<metadata><![CDATA[\n${section}\n]]></metadata>`,
  );
}

const saveSvg = node({
  name: 'SaveSVGNode',
  displayName: 'SaveSVGNode',
  category: 'image/save',
  module: 'comfy_extras.nodes_images',
  description: 'Saves SVG images in the output folder, with the graph in their metadata.',
  isOutput: true,
  inputs: { svg: link('SVG', undefined), filename_prefix: string({ default: 'svg/ComfyUI' }) },
  hidden: METADATA_INPUTS,
  outputs: [],
  async run({ svg, filename_prefix }, context) {
    const drawings = drawingsOf(svg);
    const target = await context.files.target(filename_prefix, 'output');
    const images = await saveFiles(drawings.length, [target, 'output', 'svg'], context, (index, texts) =>
      new TextEncoder().encode(withMetadata(drawings[index]!, texts)),
    );
    return { ui: { images } };
  },
});

/** The texts of an SVG value. Custom nodes may output anything: throws a `TypeError` for a value without an SVG. */
function drawingsOf(svg: Svg): readonly string[] {
  const drawings = typeof svg === 'string' ? [svg] : svg?.data;
  const isSvg = (text: unknown) => typeof text === 'string' && /<svg[\s>/]/.test(text);
  if (!Array.isArray(drawings) || !drawings.every(isSvg))
    throw new TypeError('an SVG is a text with an <svg> element, or { data: [texts] }');
  return drawings;
}

export const svgSaveNodes: AnyNode[] = [saveSvg];
