import { kinds } from '../../checks/index.ts'
import { suggest } from '../../lib/nearest.ts'
import {
  problemAt,
  problemInside,
  type YamlDoc,
  type YamlPath,
  type YamlProblem,
} from '../../lib/yamlProblems.ts'
import { compileLabelPredicate } from '../../rules/cel/compileLabelPredicate.ts'
import type { LoadedRule } from '../../rules/types.ts'
import { metaKinds } from '../../alerts/metaKinds.ts'
import type { FindingText, RuleTest, TestExpectation, TestFile, TestInput } from './testSchema.ts'
import { tokensOf } from './testTokens.ts'

interface Context {
  readonly doc: YamlDoc
  readonly file: TestFile
  /** Names that an expectation may give a rule by. */
  readonly ruleNames: readonly string[]
}

/** What a file of tests says that its rules, or it itself, do not know. */
export function checkTestFile(of: {
  readonly doc: YamlDoc
  readonly file: TestFile
  readonly rules: readonly LoadedRule[]
}): YamlProblem[] {
  const { doc, file } = of
  const ruleNames = [...of.rules.map(({ name }) => name), ...metaKinds.map(({ kind }) => kind)]
  const context = { doc, file, ruleNames }
  return [...checkRoutes(context), ...file.tests.flatMap((test, index) => checkTest(context, test, index))]
}

function checkRoutes({ doc, file }: Context): YamlProblem[] {
  const { channels } = file
  const names = file.routes.flatMap((route, index) =>
    route.channels.flatMap((name, place) =>
      channels.includes(name)
        ? []
        : [
            problemAt(
              doc,
              ['routes', index, 'channels', place],
              `unknown channel \`${name}\`${suggest(name, channels) || `: expected one of ${channels.join(', ')}`}`,
            ),
          ],
    ),
  )
  const texts: [YamlPath, string | null][] = [
    ...file.routes.map(({ match }, index): [YamlPath, string | null] => [['routes', index, 'match'], match]),
    ...file.inhibit.flatMap(({ source, target }, index): [YamlPath, string][] => [
      [['inhibit', index, 'source'], source],
      [['inhibit', index, 'target'], target],
    ]),
  ]
  return [...names, ...texts.flatMap(([path, text]) => checkPredicate(doc, path, text))]
}

function checkPredicate(doc: YamlDoc, path: YamlPath, text: string | null): YamlProblem[] {
  if (text === null) return []
  const compiled = compileLabelPredicate(kinds.names, text)
  return compiled.ok ? [] : [problemInside(doc, path, compiled.problem.offset, compiled.problem.message)]
}

function checkTest(context: Context, test: RuleTest, index: number): YamlProblem[] {
  const base: YamlPath = ['tests', index]
  const names = new Set(test.inputs.flatMap(({ transfer }) => transfer ?? []))
  return [
    ...test.inputs.flatMap((input, place) =>
      checkInput(context, { input, names }, [...base, 'inputs', place]),
    ),
    ...checkOrder(context, test, base),
    ...test.expect.flatMap((one, place) => checkExpectation(context, one, [...base, 'expect', place])),
  ]
}

const doings = ['transfer', 'evidence', 'head', 'source', 'balances', 'facts', 'raise', 'clear'] as const

function checkInput(
  context: Context,
  { input, names }: { readonly input: TestInput; readonly names: ReadonlySet<string> },
  path: YamlPath,
): YamlProblem[] {
  const { doc } = context
  const done = doings.filter((name) => input[name] !== undefined)
  if (done.length !== 1) {
    const message = `expected one of ${doings.join(', ')} beside \`at\`, got ${done.join(' and ') || 'none'}`
    return [problemAt(doc, path, message)]
  }
  if (input.record !== undefined && input.transfer === undefined)
    return [problemAt(doc, [...path, 'record'], '`record` belongs to a `transfer`', 'key')]
  const many = (['count', 'apart'] as const).filter((key) => input[key] !== undefined)
  if (many[0] !== undefined && input.transfer === undefined)
    return [problemAt(doc, [...path, many[0]], `\`${many[0]}\` belongs to a \`transfer\``, 'key')]
  const unknown = (name: string | undefined, at: YamlPath) =>
    name === undefined || names.has(name)
      ? []
      : [problemAt(doc, at, `unknown transfer \`${name}\`${suggest(name, names)}`)]
  return [
    ...checkToken(context, input.record?.token, [...path, 'record', 'token']),
    ...Object.keys(input.balances ?? {}).flatMap((token) =>
      checkToken(context, token, [...path, 'balances', token], 'key'),
    ),
    ...(input.evidence?.moves ?? []).flatMap((move, place) =>
      checkToken(context, move.token, [...path, 'evidence', 'moves', place, 'token']),
    ),
    ...unknown(input.evidence?.transfer, [...path, 'evidence', 'transfer']),
    ...unknown(input.raise?.transfer, [...path, 'raise', 'transfer']),
    ...(input.raise ? checkFinding(doc, input.raise, [...path, 'raise']) : []),
  ]
}

function checkToken(
  { doc, file }: Context,
  token: string | undefined,
  path: YamlPath,
  part?: 'key',
): YamlProblem[] {
  const symbols = tokensOf(file).map(({ symbol }) => symbol)
  if (token === undefined || token === '' || /^0x[0-9a-fA-F]{40}$/.test(token) || symbols.includes(token))
    return []
  const hint = suggest(token, symbols) || `: expected ${symbols.join(', ') || 'an address'}`
  return [problemAt(doc, path, `unknown token \`${token}\`${hint}`, part)]
}

function checkFinding(doc: YamlDoc, finding: FindingText, path: YamlPath): YamlProblem[] {
  // One of the table's, by the schema.
  const detector = kinds.find(finding.kind)
  if (detector === null) return []
  if (detector.from === 'facts' || (detector.from === 'raised' && detector.raisedBy === 'alerts')) {
    const instead =
      detector.from === 'facts' ? 'set the facts that it is judged by' : 'the alert engine finds it itself'
    return [problemAt(doc, [...path, 'kind'], `${finding.kind} is not raised: ${instead}`)]
  }
  const known = Object.keys(detector.facts)
  return Object.keys(finding.facts)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const hint = suggest(name, known) || `: expected one of ${known.join(', ')}`
      return problemAt(doc, [...path, 'facts', name], `unknown fact \`${name}\`${hint}`, 'key')
    })
}

function checkOrder({ doc }: Context, { expect }: RuleTest, base: YamlPath): YamlProblem[] {
  return expect.flatMap(({ at }, index) => {
    const before = expect[index - 1]
    if (!before || before.at < at) return []
    return [
      problemAt(
        doc,
        [...base, 'expect', index, 'at'],
        'expected a later time than that of the expectation before',
      ),
    ]
  })
}

function checkExpectation(context: Context, one: TestExpectation, path: YamlPath): YamlProblem[] {
  const { doc, ruleNames } = context
  const unknown = (name: string, at: YamlPath) => {
    if (ruleNames.includes(name)) return []
    return [problemAt(doc, at, `unknown rule \`${name}\`${suggest(name, ruleNames)}`)]
  }
  const keys = ['pending', 'firing', 'resolved'] as const
  const said = [...keys, 'told' as const, 'silent' as const].filter((key) => one[key] !== undefined)
  if (said.length === 0)
    return [problemAt(doc, path, 'expected one of pending, firing, resolved, told, silent beside `at`')]
  return [
    ...keys.flatMap((key) =>
      (one[key] ?? []).flatMap((text, index) => unknown(text.split(' ')[0] ?? '', [...path, key, index])),
    ),
    ...(one.told ?? []).flatMap((told, index) =>
      typeof told === 'string'
        ? unknown(told.split(' ')[0] ?? '', [...path, 'told', index])
        : unknown(told.rule, [...path, 'told', index, 'rule']),
    ),
  ]
}
