import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectWhole } from '../support/expectWhole.ts'
import { installOffline, packProject } from '../support/packProject.ts'
import { endProgram, runProgram, startProgram } from '../support/realMonitor.ts'
import { until } from '../support/startMonitor.ts'

const root = join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'spanwatch-package-'))
let tarball: string
let files: string[]

beforeAll(async () => {
  ;({ tarball, files } = await packProject(folder))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('what is published', () => {
  test('is the program, its rules and documents, and nothing else', () => {
    const places = new Set(files.map((path) => path.replace(/^(src\/\w+\/\w+|[^/]+)\/.*$/, '$1/')))
    expect([...places].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'bin/',
      'deploy/',
      'dist/',
      'docs/',
      'package.json',
      'rules/',
      'spanwatch.example.yaml',
      'src/sandbox/scenarios/',
      'src/web/assets/',
    ])
  })

  test('has no source, and no tests but those of the shipped rules, which "rules test" runs', () => {
    expect(files.filter((path) => path.endsWith('.ts'))).toEqual([])
    const tests = files.filter((path) => /\btests?\b/.test(path) && !/^rules\/\w+\.test\.yaml$/.test(path))
    expect(tests).toEqual([])
  })

  test('is what the repository holds or the build made: no file that lies around', () => {
    const kept = new Set(
      execFileSync('git', ['ls-files'], {
        cwd: root,
        encoding: 'utf8',
      }).split('\n'),
    )
    expect(files.filter((path) => !path.startsWith('dist/') && !kept.has(path))).toEqual([])
    const made = files.filter((path) => path.startsWith('dist/')).map((path) => path.slice('dist/'.length))
    const built = readdirSync(join(root, 'dist')).filter((name) => name !== 'sources.txt')
    expect(made.toSorted()).toEqual(built.toSorted())
  })

  test('names the lines of the sources, and no folder of the machine that built it', () => {
    const map: { sources: string[] } = JSON.parse(readFileSync(join(root, 'dist/main.js.map'), 'utf8'))
    const gone = map.sources.filter((path) => !existsSync(join(root, 'dist', path)))
    expect(gone.filter((path) => !path.startsWith('\0'))).toEqual([])
    for (const file of files.filter((path) => path.startsWith('dist/')))
      expect(readFileSync(join(root, file), 'latin1').includes(root), file).toBe(false)
  })

  test('carries licences and a bill of all that the build took in, and does not install it once more', () => {
    const { components }: { components: { name: string; version: string; hashes: { content: string }[] }[] } =
      JSON.parse(readFileSync(join(root, 'dist/bundled.cdx.json'), 'utf8'))
    const checksums = components.flatMap(({ hashes }) => hashes.map(({ content }) => content))
    expect(checksums.filter((sum) => /^[0-9a-f]{128}$/.test(sum))).toHaveLength(components.length)
    const taken = components.map(({ name, version }) => `${name} ${version}`)
    const indirect = expect.stringMatching(/^zrender /)
    expect(taken).toEqual(expect.arrayContaining([...listDependencies('build/bundled'), indirect]))
    expect(taken.filter((name) => listDependencies('.').includes(name))).toEqual([])
    const licences = readFileSync(join(root, 'dist/third-party-licences.txt'), 'utf8')
    expect([...new Set(licences.match(/(?<=^== ).+/gm))].toSorted()).toEqual(taken.toSorted())
  })
})

function listDependencies(folder: string): string[] {
  const { dependencies }: { dependencies: object } = JSON.parse(
    readFileSync(join(root, folder, 'package.json'), 'utf8'),
  )
  return Object.entries(dependencies).map(([name, version]) => `${name} ${version}`)
}

describe('what is installed, below node_modules and with what holds native code alone', () => {
  let bin: string

  beforeAll(async () => {
    bin = await installOffline(tarball, folder)
    expect(readdirSync(join(folder, 'node_modules')).toSorted()).toEqual(['@resvg', 'spanwatch'])
  })

  test('plays the demo up to its first alert', async () => {
    const demo = startProgram(['demo', '--speed', '5'], { bin })
    await until(() => /(CRITICAL|WARNING): Withdrawal of/.test(demo.stdout()) || !demo.isRunning())
    expect(await endProgram(demo)).toBe(0)
    expect(demo.stderr()).toBe('')
  })

  test('tests the rules that came with it', async () => {
    // One file of them: what each says is tested by itself.
    const file = join(bin, '../../rules/stages.test.yaml')
    const { code, stdout } = await runProgram(['rules', 'test', file], { bin })
    expect(stdout).toMatch(/\d+ tests in 1 file, all pass/)
    expect(code).toBe(0)
  })

  test('finds all that it reads beside its code', () => expectWhole(bin))
})
