import { stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { metaKinds } from '../../alerts/metaKinds.ts'
import { kinds } from '../../checks/index.ts'
import { checkMuteNames } from '../../config/checkConfig.ts'
import { errorText } from '../../lib/errors.ts'
import { suggest } from '../../lib/nearest.ts'
import { readPlainText } from '../../lib/plainFile.ts'
import { parseYamlDocument, type YamlInput } from '../../lib/parseYamlDocument.ts'
import { schemaProblems } from '../../lib/schemaProblems.ts'
import {
  fileProblem,
  problemAt,
  problemInside,
  withoutEchoes,
  type YamlDoc,
  type YamlPath,
  type YamlProblem,
} from '../../lib/yamlProblems.ts'
import { compileLabelPredicate, compileRouteMatch } from '../../rules/cel/compileConditions.ts'
import { type LoadedRules, loadRules } from '../../rules/loadRules.ts'
import { listRuleFiles } from '../../rules/readRuleFolder.ts'
import { readRules } from '../../rules/readRules.ts'
import type { LoadedRule } from '../../rules/types.ts'
import {
  type FindingText,
  type RuleTest,
  type TestExpectation,
  type TestFile,
  testFileSchema,
  type TestInput,
} from './testSchema.ts'
import { tokensOf } from './testTokens.ts'

export interface LoadedTests {
  readonly file: TestFile
  readonly doc: YamlDoc
  readonly rules: readonly LoadedRule[]
}

export type LoadedTestFile =
  | { readonly ok: true; readonly loaded: LoadedTests }
  | { readonly ok: false; readonly problems: readonly YamlProblem[] }

interface Context {
  readonly doc: YamlDoc
  readonly file: TestFile
  /** Names that an expectation may give a rule by. */
  readonly ruleNames: readonly string[]
}

const doings = ['transfer', 'evidence', 'head', 'source', 'balances', 'facts', 'raise', 'clear'] as const

/** Reads one file of tests with the rules that it is about: whole, or all that is wrong with it. */
export async function loadRuleTests(path: string): Promise<LoadedTestFile> {
  let text: string
  try {
    text = readPlainText(path)
  } catch (error) {
    return fail([fileProblem(path, `the tests cannot be read: ${errorText(error)}`)])
  }
  const { doc, data, problems } = parseYamlDocument({ path, text })
  if (doc === null) return fail(problems)
  const parsed = testFileSchema.safeParse(data)
  if (!parsed.success) {
    const found = schemaProblems(doc, { schema: testFileSchema, data }, parsed.error)
    return fail([...problems, ...withoutEchoes(problems, found)])
  }
  if (problems.length > 0) return fail(problems)
  const rules = await loadTestedRules(doc, dirname(resolve(path)), parsed.data)
  if (!rules.ok) return fail(rules.problems)
  const tests = { doc, file: parsed.data, rules: rules.rules }
  const wrong = [...checkMuteNames(doc, data), ...checkTestFile(tests)]
  if (wrong.length > 0) return fail(wrong)
  return { ok: true, loaded: { file: parsed.data, doc, rules: rules.rules } }
}

function fail(problems: readonly YamlProblem[]): LoadedTestFile {
  return { ok: false, problems }
}

/** Without `rules` what a daemon would run with that folder; else the files that are named, and nothing more. */
async function loadTestedRules(doc: YamlDoc, folder: string, { rules }: TestFile): Promise<LoadedRules> {
  if (rules === undefined) return readRules(folder, kinds)
  const files: YamlInput[] = []
  const problems: YamlProblem[] = []
  for (const [index, name] of rules.entries()) {
    try {
      for (const path of await listPlaces(resolve(folder, name))) {
        files.push({ path, text: readPlainText(path) })
      }
    } catch (error) {
      problems.push(
        problemAt(doc, ['rules', index], `these rules cannot be read: ${name}: ${errorText(error)}`),
      )
    }
  }
  return problems.length > 0 ? { ok: false, problems } : loadRules(files, kinds)
}

async function listPlaces(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  return (await listRuleFiles(path)).map((name) => join(path, name))
}

/** What a file of tests says that its rules, or it itself, do not know. */
function checkTestFile(of: {
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
  const texts = [
    ...file.routes.map(({ match }, index) => [['routes', index, 'match'], match, compileRouteMatch] as const),
    ...file.inhibit.flatMap(({ source, target }, index) => [
      [['inhibit', index, 'source'], source, compileLabelPredicate] as const,
      [['inhibit', index, 'target'], target, compileLabelPredicate] as const,
    ]),
  ]
  return [...names, ...texts.flatMap((one) => checkPredicate(doc, one))]
}

function checkPredicate(
  doc: YamlDoc,
  [path, text, compile]: readonly [
    YamlPath,
    string | null,
    typeof compileRouteMatch | typeof compileLabelPredicate,
  ],
): YamlProblem[] {
  if (text === null) return []
  const compiled = compile(kinds.names, text)
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
