import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { createProject, type Project, runProgram } from '../../support/realMonitor.ts'

const rules = 'rules:\n  - { name: failed, on: transfer.failed, severity: critical }\n'

/** A place that the program reads: what is put there, and the command that reads it. */
interface Place {
  readonly path: (project: Project) => string
  readonly args: (project: Project) => readonly string[]
}

const inFolder =
  (name: string) =>
  ({ folder }: Project) =>
    join(folder, name)
const withConfig =
  (...words: readonly string[]) =>
  ({ configPath }: Project) => [...words, '-c', configPath]

const places: Readonly<Record<string, Place>> = {
  'the configuration': { path: ({ configPath }) => configPath, args: withConfig('check') },
  'the configuration of a daemon': { path: ({ configPath }) => configPath, args: withConfig('run') },
  'a file of rules': { path: inFolder('rules/more.yaml'), args: withConfig('check') },
  'a file of rules, for a daemon': { path: inFolder('rules/more.yaml'), args: withConfig('run') },
  'tests of rules': { path: inFolder('rules/more.test.yaml'), args: withConfig('rules', 'test') },
  'rules that a test names': {
    path: inFolder('named.yaml'),
    args: ({ folder }) => ['rules', 'test', join(folder, 'one.test.yaml')],
  },
  'a scenario': {
    path: inFolder('scenario.yaml'),
    args: ({ folder }) => ['sandbox', '--scenario', join(folder, 'scenario.yaml')],
  },
  'a file to go on from': {
    path: inFolder('resume.json'),
    args: (project) => [
      ...withConfig('query', 'cross-transactions', '--all', '--json')(project),
      '--resume',
      join(project.folder, 'resume.json'),
    ],
  },
  'the cursors': { path: inFolder('state/cursors.json'), args: withConfig('cursors', 'show') },
  'the ledger': { path: inFolder('state/ledger.sqlite'), args: withConfig('alerts', 'list') },
  'the ledger of a backup': { path: inFolder('state/ledger.sqlite'), args: withConfig('backup') },
}

const kinds: Readonly<Record<string, (path: string) => void>> = {
  pipe: (path) => execFileSync('mkfifo', [path]),
  device: (path) => symlinkSync('/dev/zero', path),
  folder: (path) => mkdirSync(path),
}

const cases = Object.entries(places)
  .flatMap(([place, { path, args }]) =>
    Object.entries(kinds).map(([kind, put]) => ({ place, kind, path, args, put })),
  )
  // A pipe tells that a place is read with care; that care knows all kinds, wherever it is taken.
  .filter(
    ({ place, kind }) =>
      kind === 'pipe' || ['the configuration', 'a file of rules', 'the ledger'].includes(place),
  )

test.skipIf(process.platform === 'win32').concurrent.for(cases)(
  'F87: a $kind in the place of $place is an error that names it, and nobody waits for it',
  { timeout: 120_000 },
  async ({ path, args, put }, { onTestFinished }) => {
    const project = createProject({ url: 'http://127.0.0.1:9', rules })
    onTestFinished(() => project.remove())
    mkdirSync(join(project.folder, 'state'), { mode: 0o700 })
    writeFileSync(
      join(project.folder, 'one.test.yaml'),
      'rules: [named.yaml]\ntests: [{ name: one, inputs: [], expect: [{ at: 1m, firing: [] }] }]\n',
    )
    const place = path(project)
    mkdirSync(dirname(place), { recursive: true })
    rmSync(place, { force: true })
    put(place)
    // Far more than it takes: a busy machine starts a program in half a minute.
    const under = ['timeout', '--signal=KILL', '100']
    const { code, stderr, stdout } = await runProgram(args(project), { under })
    const said = `${stderr}${stdout}`
    expect(code, said).toBe(2)
    expect(said).toContain(place.slice(place.lastIndexOf('/') + 1))
    expect(said).toMatch(/a pipe or a device|a folder|no plain file|a symbolic link/)
    expect(said).not.toContain('    at ')
  },
)
