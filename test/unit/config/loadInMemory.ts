import { type LoadedConfig, loadConfig, type Section } from '../../../src/config/loadConfig.ts'
import { renderProblems } from '../../../src/lib/renderProblems.ts'

export const smallest = 'explorer: { baseUrl: "https://x.example/", chains: { main: A, zone: B } }\n'

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
  readonly folders?: readonly string[]
  readonly needs?: readonly Section[]
}

/** Loads a text as `/etc/spanwatch/spanwatch.yaml`, without a disk. */
export function load(
  text: string,
  { env = {}, files = {}, folders = [], needs }: Surroundings = {},
): LoadedConfig {
  const path = '/etc/spanwatch/spanwatch.yaml'
  const readFile = (asked: string) => {
    const content = { ...files, [path]: text }[asked]
    if (content === undefined) throw new Error('there is no such file')
    return content
  }
  const isFolder = (asked: string) => folders.includes(asked)
  return loadConfig({ path, env, files: { readFile, isFolder }, ...(needs && { needs }) })
}

/** The configuration, or an error that shows what was against it. */
export function loadGood(text: string, surroundings?: Surroundings) {
  const loaded = load(text, surroundings)
  if (!loaded.ok) throw new Error(renderProblems(loaded.problems))
  return loaded
}

/** `line:column message` of each problem, in the order found; none when it loads. */
export function problemsOf(text: string, surroundings?: Surroundings): string[] {
  const loaded = load(text, surroundings)
  return loaded.ok ? [] : loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`)
}

export function warningsOf(text: string, surroundings?: Surroundings): string[] {
  return loadGood(text, surroundings).warnings.map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  )
}
