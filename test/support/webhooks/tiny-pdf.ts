/** A PDF with a page for each text, and a correct table of its objects. */
export function tinyPdf(...texts: string[]): string {
  const pages = texts.map((_text, at) => `${4 + 2 * at} 0 R`).join(' ');
  const parts = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Count ${texts.length}/Kids[${pages}]>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...texts.flatMap((text, at) => {
      const drawing = `BT /F 12 Tf 10 100 Td (${text}) Tj 0 -20 Td (end) Tj ET`;
      return [
        `<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents ${5 + 2 * at} 0 R/Resources<</Font<</F 3 0 R>>>>>>`,
        `<</Length ${drawing.length}>>stream\n${drawing}\nendstream`,
      ];
    }),
    '<</Title(Report)>>',
  ];
  let text = '%PDF-1.4\n';
  const places = parts.map((part, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj${part}endobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  return `${text}xref\n0 ${parts.length + 1}\n0000000000 65535 f \n${places.join('')}trailer<</Size ${parts.length + 1}/Root 1 0 R/Info ${parts.length} 0 R>>\nstartxref\n${text.length}\n%%EOF`;
}
