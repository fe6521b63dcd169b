import { Option } from 'commander'

export type Finish = (code: number) => void

export const config = () =>
  new Option('-c, --config <file>', 'configuration file').default('./spanwatch.yaml')

export const json = () => new Option('--json', 'print JSON')

export const exactJson = () => new Option('--json', 'print JSON, amounts as decimal strings')

export const by = () => new Option('--by <name>', 'who; the user of this machine when left out')

export const examples = (...lines: readonly string[]) =>
  `\nExamples:\n${lines.map((line) => `  spanwatch ${line}\n`).join('')}`
