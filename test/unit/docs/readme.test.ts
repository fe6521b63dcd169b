import { kinds } from '../../../src/checks/index.ts'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { exitCodes } from '../../../src/cli/io.ts'
import { renderProblem } from '../../../src/lib/renderProblems.ts'
import { loadRules } from '../../../src/rules/loadRules.ts'
import { createRegistry } from '../../../src/web/metrics.ts'
import { runCommand } from '../cli/testIo.ts'
import { problemsOf } from '../config/loadInMemory.ts'
import { listBlocks, listCodes, listDocuments, listLinks, readDoc, readTable, root } from './markdown.ts'

const readme = readDoc('README.md')
const commandsDocument = readDoc('docs/commands.md')
const documents = listDocuments()

interface Help {
  readonly text: string
  readonly subcommands: readonly string[]
}

async function readHelp(path: readonly string[]): Promise<Help> {
  const { out } = await runCommand([...path, '--help'])
  const [, list = ''] = out.split('\nCommands:\n')
  const subcommands = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name)
  return { text: out, subcommands: subcommands.filter((name) => name !== 'help') }
}

async function listCommands(path: readonly string[] = []): Promise<string[]> {
  const { subcommands } = await readHelp(path)
  if (subcommands.length === 0) return [path.join(' ')]
  return (await Promise.all(subcommands.map((name) => listCommands([...path, name])))).flat()
}

describe('commands', () => {
  test('the table names every command and no other', async () => {
    const named = readTable(commandsDocument, 'command', 'does').map(([cell = '']) => listCodes(cell)[0])
    const commands = await listCommands()
    expect({ missing: commands.filter((name) => !named.includes(name)) }).toEqual({ missing: [] })
    expect({ gone: named.filter((name) => !commands.includes(name ?? '')) }).toEqual({ gone: [] })
  })

  test('npm start runs the demo, npm test the tests', () => {
    const { scripts } = JSON.parse(readDoc('package.json')) as { scripts: Record<string, string> }
    expect(scripts).toMatchObject({
      start: 'node bin/spanwatch.js demo',
      spanwatch: 'node bin/spanwatch.js',
      test: 'vitest run',
      // npm 10 links node into node_modules/.bin, then takes it away with those for other platforms: it is put back.
      prepare: 'npm rebuild --silent --ignore-scripts && node build/prepare.ts',
    })
    const lines = listBlocks(readme).flatMap(({ text }) => text.split('\n'))
    expect(lines).toEqual(expect.arrayContaining(['npm ci && npm start', 'npm ci && npm test']))
  })

  test('the scripts and programs that documents name are there', () => {
    const { scripts } = JSON.parse(readDoc('package.json')) as { scripts: Record<string, string> }
    const texts = [...documents, { path: 'CONTRIBUTING.md', text: readDoc('CONTRIBUTING.md') }]
    const named = texts.flatMap(({ text }) => [...text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)])
    const programs = texts.flatMap(({ text }) => [...text.matchAll(/\bnode ((?:bench|bin|build)\/[\w/.]+)/g)])
    expect(named.length).toBeGreaterThan(20)
    expect(named.map(([, name = '']) => name).filter((name) => scripts[name] === undefined)).toEqual([])
    expect(programs.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  test('the exit codes are those of the program', () => {
    const codes = readTable(commandsDocument, 'exit code', 'means').map(([code]) => Number(code))
    expect(codes).toEqual(Object.values(exitCodes))
  })

  test('the scenarios it names exist', () => {
    const names = [...readme.matchAll(/Other worlds:([^.]*)\./g)].flatMap(([, list = '']) =>
      listCodes(list).map((code) => code.split(' ').at(-1) ?? ''),
    )
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !existsSync(join(root, `src/sandbox/scenarios/${name}.yaml`)))).toEqual([])
  })
})

describe('YAML', () => {
  const blocks = documents.flatMap(({ path, text }) =>
    listBlocks(text)
      .filter(({ language }) => language === 'yaml')
      // Scenarios of the sandbox have a test of their own.
      .filter(({ text }) => !text.startsWith('name: '))
      // So have tests of rules.
      .filter(({ text }) => !/^tests:/m.test(text))
      // The text makes the folder; `test/worlds/printedCommands.test.ts` runs it.
      .filter(({ text }) => !text.includes('rules: ./my-rules'))
      // What is pasted into Slack.
      .filter(({ text }) => !text.startsWith('display_information:'))
      .map((block, index) => ({ where: `${path}, block ${index + 1}`, text: block.text })),
  )
  const isRules = (text: string) => Array.isArray((parse(text) as { rules?: unknown }).rules)

  test.each(blocks.filter(({ text }) => isRules(text)))('rules load: $where', ({ where, text }) => {
    const loaded = loadRules([{ path: where, text }], kinds)
    expect(loaded.ok ? [] : loaded.problems.map(renderProblem)).toEqual([])
  })

  test.each(blocks.filter(({ text }) => !isRules(text)))('configurations load: $where', ({ text }) => {
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
    const values = names.map((name) => [
      name,
      name === 'SMTP_URL' ? 'smtps://mail.example' : 'https://a.example',
    ])
    expect(problemsOf(text, { env: Object.fromEntries(values) as Record<string, string> })).toEqual([])
  })

  test('the first configuration is the smallest one', () => {
    const first = blocks.find(({ text }) => !isRules(text))?.text ?? ''
    expect(parse(first)).toEqual({
      explorer: {
        baseUrl: expect.any(String),
        chains: { main: expect.any(String), zone: expect.any(String) },
      },
    })
  })
})

describe('tables and links', () => {
  test('the kinds are those of the checks, in their order, with their nature', () => {
    const rows = readTable(readDoc('docs/rules.md'), 'kind', 'nature').map(([kind, nature]) => [kind, nature])
    expect(rows).toEqual(kinds.all.map(({ kind, nature }) => [`\`${kind}\``, nature]))
  })

  test('README is one look long, and counts the kinds', () => {
    expect(readme.split('\n').length).toBeLessThanOrEqual(150)
    expect(readme).toContain(`\n${kinds.all.length} kinds of findings`)
  })

  test('CHANGELOG begins with what is not released, or with this version; so does the image that is deployed', () => {
    const { version } = JSON.parse(readDoc('package.json')) as { version: string }
    const versions = [...readDoc('CHANGELOG.md').matchAll(/^## \[([^\]]+)\]/gm)].map(([, name]) => name)
    expect(versions.filter((name) => name !== 'Unreleased')[0]).toBe(version)
    expect(readDoc('deploy/kubernetes/spanwatch.yaml')).toContain(`image: spanwatch:${version}\n`)
  })

  test('the metrics exist', () => {
    const { registry } = createRegistry({ collect: () => expect.fail() })
    const known = registry.getMetricsAsArray().map(({ name }) => name)
    const named = documents.flatMap(({ text }) => text.match(/\bspanwatch_\w+/g) ?? [])
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  })

  test.each(documents)('$path links to what is there', ({ path, text }) => {
    const links = listLinks(text)
    expect(links.filter((link) => !existsSync(resolve(root, dirname(path), link)))).toEqual([])
  })

  test('the pictures stay small', () => {
    const images = join(root, 'docs', 'images')
    const large = readdirSync(images).filter((name) => statSync(join(images, name)).size > 150_000)
    expect(large).toEqual([])
  })
})
