/** The tokens of `ui/styles/theme.ts` for the library, which computes with colors and reads no `light-dark()`. */
const LIGHT = {
  background: '#ffffff',
  primaryColor: '#efebff',
  primaryBorderColor: '#5b3fd6',
  primaryTextColor: '#1d1c1a',
  secondaryColor: '#e3f4e9',
  tertiaryColor: '#f2f0ec',
  lineColor: '#65615a',
  textColor: '#1d1c1a',
};
const DARK: typeof LIGHT = {
  background: '#1e1e24',
  primaryColor: '#28233f',
  primaryBorderColor: '#a594ff',
  primaryTextColor: '#ececf0',
  secondaryColor: '#1b3325',
  tertiaryColor: '#25252c',
  lineColor: '#a2a2ae',
  textColor: '#ececf0',
};

/** The colors of a diagram, as variables of Mermaid's theme `base`. */
export function diagramColors(dark: boolean) {
  return {
    ...(dark ? DARK : LIGHT),
    edgeLabelBackground: (dark ? DARK : LIGHT).background,
    darkMode: dark,
    fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
    fontSize: '15px',
  };
}
