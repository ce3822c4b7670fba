import { strToU8, zipSync } from 'fflate';

const NAMESPACES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ' +
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ' +
  'xmlns:v="urn:schemas-microsoft-com:vml"';

const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const paragraph = (content: string, properties = '') => `<w:p><w:pPr>${properties}</w:pPr>${content}</w:p>`;
const item = (level: number) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`;
const cell = (text: string) => `<w:tc>${paragraph(run(text))}</w:tc>`;
const box = `<w:txbxContent>${paragraph(run('In a box.'))}</w:txbxContent>`;

const BODY = [
  paragraph(run('Terms of the shop'), '<w:pStyle w:val="Heading1"/>'),
  paragraph(
    run('You can return anything within ') +
      `<w:del>${'<w:r><w:delText>20</w:delText></w:r>'}</w:del><w:ins>${run('30')}</w:ins>` +
      run(' days. We pay the price back to your card.') +
      '<w:r><w:tab/></w:r><w:r><w:instrText>PAGEREF note</w:instrText></w:r>' +
      `${run('See note')}<w:r><w:noBreakHyphen/></w:r>${run('1')}<w:r><w:br/></w:r>${run('at the end.')}`,
  ),
  paragraph(run('Parcels are sent within two days.'), item(0)),
  paragraph(run('Not on Sundays.'), item(1)),
  `<w:tbl><w:tr>${cell('Country')}${cell('Price')}</w:tr>` +
    `<w:sdt><w:sdtContent><w:tr>${cell('Spain')}${cell('4 € &amp; tax')}</w:tr></w:sdtContent></w:sdt></w:tbl>`,
  // The same text box for new and for old programs.
  paragraph(
    '<w:r><mc:AlternateContent>' +
      `<mc:Choice Requires="wps"><wps:txbx>${box}</wps:txbx></mc:Choice>` +
      `<mc:Fallback><v:textbox>${box}</v:textbox></mc:Fallback></mc:AlternateContent></w:r>`,
  ),
].join('');

const part = (name: string, content: string) =>
  strToU8(`<?xml version="1.0" encoding="UTF-8"?><w:${name} ${NAMESPACES}>${content}</w:${name}>`);

/** A Word document with a heading, changes, a list, a table, a text box and a footnote. */
export function wordDocument(): Buffer {
  return Buffer.from(
    zipSync({
      'word/document.xml': part('document', `<w:body>${BODY}</w:body>`),
      'word/footnotes.xml': part('footnotes', `<w:footnote>${paragraph(run('A footnote.'))}</w:footnote>`),
      'word/styles.xml': part('styles', ''),
    }),
  );
}
