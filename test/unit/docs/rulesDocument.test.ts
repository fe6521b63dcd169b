import { kinds } from '../../../src/checks/index.ts'
import { describe, expect, test } from 'vitest'
import { pastOf, sayPast } from '../../../src/replay/backtest/pastOf.ts'
import { parseDuration } from '../../../src/lib/duration.ts'
import type { FactType } from '../../../src/rules/factTable.ts'
import type { Detector } from '../../../src/rules/kind.ts'
import { createRuleSchema } from '../../../src/rules/ruleSchema.ts'
import { templateFilters } from '../../../src/rules/templates/templateFilters.ts'
import { standardLabels, tokenNames, transferNames } from '../../../src/rules/toFindingScope.ts'
import { listCodes, readDoc, readTable } from './markdown.ts'

const document = readDoc('docs/rules.md')
const sections = new Map(
  document
    .split(/^### /m)
    .slice(1)
    .flatMap((section) => {
      const [, kind] = /^`([a-z_.]+)`\n/.exec(section) ?? []
      return kind === undefined ? [] : [[kind, section] as const]
    }),
)

const transferTypes = {
  string: 'text',
  amount: 'amount',
  token: 'token',
  time: 'time',
  'time?': 'time or null',
  'int|null': 'number or null',
} as const

const names = Object.entries(transferNames).flatMap(([name, type]) =>
  type === 'token'
    ? tokenNames.map((part) => [`token.${part}`, 'text'] as const)
    : [[name, transferTypes[type]] as const],
)

describe('docs/rules.md', () => {
  test('the keys of a rule are those of its schema', () => {
    const rows = readTable(document, 'key', 'needed')
    const keys = rows.map(([key = '']) => listCodes(key)[0])
    expect(new Set(keys)).toEqual(new Set(Object.keys(createRuleSchema(kinds).shape)))
    const needed = rows.filter(([, word]) => word === 'yes').map(([key = '']) => listCodes(key)[0])
    expect(needed.filter((key) => createRuleSchema(kinds).shape[key as 'name'].isOptional())).toEqual([])
  })

  test('the names of a transfer are all there, with their types', () => {
    const rows = readTable(document, 'name', 'type', 'means').map(([name = '', type]) => [
      listCodes(name)[0],
      type,
    ])
    expect(rows).toEqual(names.map(([name, type]) => [`transfer.${name}`, type]))
  })

  test('the labels and filters are all there (semantics 33)', () => {
    const [, labels = ''] = /^Labels that every alert has:(.*?)\. The rule/ms.exec(document) ?? []
    expect(listCodes(labels)).toEqual([...standardLabels])
    const filters = readTable(document, 'filter', 'example').map(([name = '']) => listCodes(name)[0])
    expect(filters).toEqual(Object.keys(templateFilters))
  })

  test('its kinds are those of the checks, in their order', () => {
    expect([...sections.keys()]).toEqual(kinds.all.map(({ kind }) => kind))
  })

  test('by what each kind is tried on the past, or why it is not, is as the code says', () => {
    const rows = readTable(document, 'kinds', 'tried on').flatMap(([named = '', text]) =>
      listCodes(named).map((kind) => [kind, text]),
    )
    const known = kinds.all.map((kind) => [kind.kind, sayPast(pastOf(kind))])
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(known))
    expect(rows).toHaveLength(known.length)
  })

  test.each(kinds.all)('$kind: nature, meaning, names, parameters and facts', (detector) => {
    const section = sections.get(detector.kind) ?? ''
    const nature = detector.nature === 'event' ? 'Event' : 'Condition'
    expect(section).toContain(`\n${nature}. ${detector.docs}\n`)
    expect(listCodes(/^Names: (.*)$/m.exec(section)?.[1] ?? '')).toEqual([
      ...(detector.hasTransfer ? ['transfer'] : []),
      ...detector.subjectNames,
    ])
    expect(readTable(section, 'parameter').map(([name = '']) => listCodes(name)[0])).toEqual(keysOf(detector))
    expect(
      readTable(section, 'fact').map(([name, type = '']) => [name, isOfType(type, detector, name)]),
    ).toEqual(Object.keys(detector.facts).map((name) => [`\`facts.${name}\``, true]))
  })

  test.each(kinds.all)('$kind: defaults are as printed', (detector) => {
    // A default is printed as it would be written; one without code ticks is said in words.
    // Without any bound a surge is refused: the one that is given has no default.
    const given = detector.kind === 'flow.surge' ? { maxCount: 1 } : {}
    const parsed = detector.params.parse(given) as Readonly<Record<string, unknown>>
    const defaults: typeof parsed = { ...parsed, maxCount: undefined }
    const rows = readTable(sections.get(detector.kind) ?? '', 'parameter')
    for (const [name = '', text = ''] of rows) {
      const key = listCodes(name)[0] ?? ''
      const [written] = listCodes(text)
      const value = written === undefined ? undefined : (parseDuration(written) ?? Number(written))
      expect([key, value]).toEqual([key, defaults[key]])
    }
  })
})

function keysOf({ params }: Detector): string[] {
  return 'shape' in params ? Object.keys(params.shape as object) : []
}

const factTypes: Readonly<Record<FactType, (text: string) => boolean>> = {
  string: (text) => text === 'text',
  int: (text) => text === 'number',
  bool: (text) => text === 'true or false',
  'string|null': (text) => text === 'text or null',
  'int|null': (text) => text === 'number or null',
  'bool|null': (text) => text === 'true, false or null',
}

function isOfType(text: string, { facts }: Detector, cell = ''): boolean {
  const type = facts[(listCodes(cell)[0] ?? '').replace('facts.', '')]
  return type !== undefined && factTypes[type](text)
}
