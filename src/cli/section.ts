/** A title with lines below it, indented; nothing where there are none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`\n  ${title}\n`, ...lines.map((line) => `    ${line}\n`)]
}
