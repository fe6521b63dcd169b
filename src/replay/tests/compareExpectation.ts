import { formatDuration } from '../../lib/duration.ts'
import type { YamlPath } from '../../lib/yamlProblems.ts'
import { nameSubject, type Told } from './deliverNow.ts'
import type { TestWorld } from './createTestWorld.ts'
import type { TestExpectation } from './testSchema.ts'

/** Where what came is not what a test expects. */
export interface Difference {
  /** In the file, below the test. */
  readonly path: YamlPath
  /** Since the beginning, ms. */
  readonly at: number
  readonly key: string
  readonly message: string | null
  /** Line by line; what both have stands at the same place of both. */
  readonly expected: readonly string[]
  readonly got: readonly string[]
}

/** What of an expectation does not hold. */
export function compareExpectation(
  world: TestWorld,
  of: { readonly expectation: TestExpectation; readonly place: number; readonly told: readonly Told[] },
): Difference[] {
  const { expectation, told } = of
  const differ = (key: string, expected: readonly string[], got: readonly string[]): Difference => ({
    path: ['expect', of.place, key],
    at: expectation.at,
    key,
    message: null,
    expected,
    got,
  })
  const states = (['pending', 'firing', 'resolved'] as const).flatMap((key) => {
    const expected = expectation[key]
    if (expected === undefined) return []
    const alerts = listAlerts(world, key)
    return isSameList(expected, alerts) ? [] : [differ(key, [...expected].sort(), alerts.map(nameAlert))]
  })
  const tellings = expectation.told === undefined ? [] : compareTold(world, expectation.told, told)
  const spoken =
    expectation.silent === true && told.length > 0
      ? [
          differ(
            'silent',
            [],
            told.map((one) => describeTold(world, one)),
          ),
        ]
      : []
  return [...states, ...tellings.map(({ expected, got }) => differ('told', expected, got)), ...spoken]
}

interface Alert {
  readonly rule: string
  readonly subject: string
}

const statesOf = {
  pending: ['pending'],
  firing: ['firing', 'recovering'],
  resolved: ['resolved'],
} as const

function listAlerts(world: TestWorld, key: keyof typeof statesOf): Alert[] {
  return statesOf[key]
    .flatMap((state) => world.store.listAlerts({ state, limit: 10_000 }))
    .map(({ rule, subject }) => ({ rule, subject: nameSubject(world, subject) }))
    .sort((a, b) => compareText(nameAlert(a), nameAlert(b)))
}

function nameAlert({ rule, subject }: Alert): string {
  return `${rule} ${subject}`
}

/** Each expected name stands for one alert: the rule's, or the one of a rule and a subject. */
function isSameList(expected: readonly string[], alerts: readonly Alert[]): boolean {
  const left = [...alerts]
  // The more exact names first, so that a bare rule takes none of theirs.
  for (const name of [...expected].sort((a, b) => b.split(' ').length - a.split(' ').length)) {
    const found = left.findIndex((alert) => alert.rule === name || nameAlert(alert) === name)
    if (found === -1) return false
    left.splice(found, 1)
  }
  return left.length === 0
}

type ExpectedTold = NonNullable<TestExpectation['told']>[number]

function compareTold(
  world: TestWorld,
  expected: readonly ExpectedTold[],
  told: readonly Told[],
): { expected: string[]; got: string[] }[] {
  const pairs = Array.from(
    { length: Math.max(expected.length, told.length) },
    (_, index) => [expected[index], told[index]] as const,
  )
  if (pairs.every(([want, came]) => want !== undefined && came !== undefined && isTold(world, want, came)))
    return []
  return [
    {
      // What fits is shown in the words that came, so that only what does not fit stands out.
      expected: pairs.flatMap(([want, came]) => {
        if (want === undefined) return []
        return came && isTold(world, want, came) ? [describeTold(world, came)] : [describeWanted(want, came)]
      }),
      got: told.map((one) => describeTold(world, one)),
    },
  ]
}

function isTold(world: TestWorld, want: ExpectedTold, came: Told): boolean {
  if (typeof want === 'string') return want === came.rule || want === nameAlert(came)
  const { at, ...rest } = want
  if (at !== undefined && world.start + at !== came.at) return false
  return Object.entries(rest).every(
    ([name, value]) => value === undefined || came[name as keyof Told] === value,
  )
}

function describeTold({ start }: Pick<TestWorld, 'start'>, told: Told): string {
  const after = formatDuration(told.at - start)
  return `${after} ${told.what} ${told.severity} ${told.rule} ${told.subject} on ${told.channel}: ${told.summary}`
}

function describeWanted(want: ExpectedTold, came: Told | undefined): string {
  if (typeof want === 'string') return want
  const { at, ...rest } = want
  const parts = Object.entries(rest).filter(([, value]) => value !== undefined)
  const words = parts.map(([name, value]) => {
    const mark = came && came[name as keyof Told] !== value ? '!' : ''
    return `${mark}${name}: ${JSON.stringify(value)}`
  })
  return [...(at === undefined ? [] : [formatDuration(at)]), ...words].join(', ')
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
