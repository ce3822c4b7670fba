/** Opens the browser's file dialog. `onFiles` is not called when the user selects no file. */
export function pickFiles(
  accept: string,
  onFiles: (files: FileList) => void,
  { multiple = false } = {},
): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept, multiple });
  input.addEventListener('change', () => {
    if (input.files?.length) onFiles(input.files);
  });
  input.click();
}
