import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Node, SourceFile } from 'typescript/unstable/ast'
import {
  isAsExpression,
  isElementAccessExpression,
  isExportDeclaration,
  isFunctionTypeNode,
  isIdentifier,
  isImportDeclaration,
  isInterfaceDeclaration,
  isMethodSignatureDeclaration,
  isParameterDeclaration,
  isPropertySignatureDeclaration,
  isStringLiteral,
  isTypeAliasDeclaration,
  isTypeReferenceNode,
} from 'typescript/unstable/ast/is'
import { API } from 'typescript/unstable/sync'

// The structure of src in figures, read with the TypeScript compiler: circles of imports, bags of functions, rows read
// by hand, the longest functions, imports that leave their check's folder.
//
// --list   also names the places: circles, the longest functions, bags
const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } })
const root = resolve(import.meta.dirname, '..')
const write = (line: string) => void process.stdout.write(`${line}\n`)

interface FunctionSize {
  readonly at: string
  readonly lines: number
  readonly parameters: number
}
interface Bag {
  readonly name: string
  readonly functions: number
}

const api = new API({ cwd: root })
const project = api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects()[0]
if (!project) throw new Error(`no project was opened: expected tsconfig.json in ${root}`)
const files = project.rootFiles.flatMap((path) => {
  const file = relative(root, path).startsWith('src/') && project.program.getSourceFile(path)
  return file ? [file] : []
})
const imports = new Map(files.map((file) => [place(file), importsOf(file)]))
const nodes = files.flatMap((file) => collect(file).map((node) => ({ node, file })))
api.close()

const functions = nodes.flatMap(({ node, file }) => readFunction(node, file))
const bags = findBags()
const circles = findCircles()
const casts = nodes.filter(({ node, file }) => isAsExpression(node) && textOf(node.type, file) !== 'const')
const rowReads = nodes.filter(
  ({ node, file }) =>
    isElementAccessExpression(node) &&
    isStringLiteral(node.argumentExpression) &&
    isIdentifier(node.expression) &&
    /row$/i.test(textOf(node.expression, file)),
)
const lines = files.reduce((sum, file) => sum + countCode(file.text), 0)
const importers = new Map<string, number>()
for (const targets of imports.values())
  for (const target of targets) importers.set(target, (importers.get(target) ?? 0) + 1)
const checkImports = [...imports].flatMap(([from, targets]) =>
  targets.filter((to) => checkOf(from) && checkOf(to)).map((to) => checkOf(from) === checkOf(to)),
)
const longest = functions.toSorted((one, other) => other.lines - one.lines)
const share = (part: number, whole: number) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

const figures: readonly (readonly [string, string | number])[] = [
  ['files', files.length],
  ['lines of code', lines],
  ['circles of imports, types too', circles.length],
  ['functions as members of bags', bags.reduce((sum, bag) => sum + bag.functions, 0)],
  ['bags', bags.length],
  ['string reads of rows', rowReads.length],
  ['longest function, lines', longest[0]?.lines ?? 0],
  ['functions of more than 60 lines', longest.filter((one) => one.lines > 60).length],
  [
    'functions of more than 3 parameters',
    share(functions.filter((one) => one.parameters > 3).length, functions.length),
  ],
  [
    'files imported by one other only',
    share([...importers.values()].filter((count) => count === 1).length, files.length),
  ],
  ['`as` per 1,000 lines', ((1_000 * casts.length) / lines).toFixed(1)],
  [
    'imports between files of checks that stay in their folder',
    share(checkImports.filter(Boolean).length, checkImports.length),
  ],
]
for (const [name, figure] of figures) write(`${String(figure).padStart(8)}  ${name}`)
if (values.list) {
  for (const circle of circles) write(`circle: ${circle.join(' ')}`)
  for (const one of longest.slice(0, 40)) write(`${one.lines} lines: ${one.at}`)
  for (const bag of bags.toSorted((one, other) => other.functions - one.functions))
    write(`${bag.functions} functions: ${bag.name}`)
}

/** The path from the root: `src/lib/clock.ts`. */
function place(file: SourceFile): string {
  return relative(root, file.fileName)
}

function textOf(node: Node, file: SourceFile): string {
  return file.text.slice(node.pos, node.end).trim()
}

function collect(node: Node): readonly Node[] {
  const found: Node[] = [node]
  node.forEachChild((child) => void found.push(...collect(child)))
  return found
}

function importsOf(file: SourceFile): readonly string[] {
  const paths = file.statements.flatMap((statement) => {
    const isImport = isImportDeclaration(statement) || isExportDeclaration(statement)
    const from = isImport ? statement.moduleSpecifier : undefined
    return from && isStringLiteral(from) && from.text.startsWith('.')
      ? [relative(root, resolve(dirname(file.fileName), from.text))]
      : []
  })
  return [...new Set(paths)].filter((path) => path.startsWith('src/') && path.endsWith('.ts'))
}

function readFunction(node: Node, file: SourceFile): readonly FunctionSize[] {
  const one = node as Node & {
    readonly body?: Node
    readonly parameters?: readonly Node[]
    readonly name?: Node
  }
  if (!one.body || !one.parameters) return []
  const start =
    node.pos +
    (file.text.slice(node.pos, node.end).length - file.text.slice(node.pos, node.end).trimStart().length)
  const linesBefore = file.text.slice(0, one.body.pos).split('\n').length
  const text = file.text.slice(one.body.pos, node.end)
  const name = one.name ? textOf(one.name, file) : file.text.slice(start, start + 30).split('\n')[0]
  return [
    {
      at: `${place(file)}:${linesBefore} ${name}`,
      lines: text.split('\n').length,
      parameters: one.parameters.length,
    },
  ]
}

/** Types that some function takes as a parameter and that have functions among their members. */
function findBags(): readonly Bag[] {
  const taken = new Set(
    nodes.flatMap(({ node, file }) =>
      isParameterDeclaration(node) && node.type && isTypeReferenceNode(node.type)
        ? [textOf(node.type.typeName, file)]
        : [],
    ),
  )
  return nodes.flatMap(({ node, file }) => {
    if (!isInterfaceDeclaration(node) && !isTypeAliasDeclaration(node)) return []
    const name = textOf(node.name, file)
    const members = isInterfaceDeclaration(node) ? [...node.members] : collect(node.type)
    const functionMembers = members.filter(
      (member) =>
        isMethodSignatureDeclaration(member) ||
        (isPropertySignatureDeclaration(member) && member.type && isFunctionTypeNode(member.type)),
    ).length
    const isBag = /(Deps|Context|Tools|Reads|Options|Parts|Needs)$/.test(name) && taken.has(name)
    return isBag && functionMembers > 0
      ? [{ name: `${place(file)} ${name}`, functions: functionMembers }]
      : []
  })
}

/** Tarjan's strongly connected components of more than one file. */
function findCircles(): readonly (readonly string[])[] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  const lowOf = (file: string) => low.get(file) ?? 0
  const visit = (file: string) => {
    index.set(file, index.size)
    low.set(file, index.size - 1)
    stack.push(file)
    for (const target of imports.get(file) ?? []) {
      if (!index.has(target)) {
        visit(target)
        low.set(file, Math.min(lowOf(file), lowOf(target)))
      } else if (stack.includes(target)) low.set(file, Math.min(lowOf(file), index.get(target) ?? 0))
    }
    if (lowOf(file) !== index.get(file)) return
    const circle = stack.splice(stack.indexOf(file))
    if (circle.length > 1) found.push(circle)
  }
  for (const file of imports.keys()) if (!index.has(file)) visit(file)
  return found
}

/** `escrow` of `src/checks/escrow/reading/pollFlows.ts`. */
function checkOf(path: string): string | undefined {
  return /^src\/checks\/([^/]+)\//.exec(path)?.[1]
}

/** Lines that hold more than blanks and comments. */
function countCode(text: string): number {
  const withoutBlocks = text.replaceAll(/^\s*\/\*[\s\S]*?\*\/\s*$/gm, '')
  return withoutBlocks.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//'))
    .length
}
