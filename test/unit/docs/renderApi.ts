import { actions } from '../../../src/web/actions.ts'
import { describeApi, type Parameter } from '../../../src/web/api/describeApi.ts'
import { otherRoutes } from '../../../src/web/api/otherRoutes.ts'
import { apiRoutes } from '../../../src/web/api/routes.ts'

/** docs/api.md with its tables as the schemas of the routes have them. */
export function renderApi(markdown: string): string {
  const { paths } = describeApi()
  const parametersOf = (path: string) => paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.get?.parameters ?? []
  const [served, beside] = [true, false].map((isApi) =>
    otherRoutes.filter(({ path }) => path.startsWith('/api/') === isApi),
  )
  const tables = [
    renderTable(
      ['GET', 'parameters', 'answers with'],
      [
        ...apiRoutes.map(({ path, params, says }) => [
          `\`${path}\``,
          [...Object.values(params), ...parametersOf(path).flatMap(describeParameter)].join('; '),
          says,
        ]),
        ...(served ?? []).map(({ path, says }) => [`\`${path}\``, '', says]),
      ],
    ),
    renderTable(
      ['POST', 'body', 'answers with'],
      actions.map(({ path, example, note, says }) => [
        `\`/api${path}\``,
        [`\`${renderJson(example)}\``, ...(note === undefined ? [] : [note])].join('; '),
        says,
      ]),
    ),
    renderTable(
      ['path', 'gives'],
      (beside ?? []).map(({ path, says }) => [`\`${path}\``, says]),
    ),
  ]
  return tables.reduce((text, table) => {
    const [head = ''] = table.split('\n')
    const [begin, end] = [text.indexOf(`\n${head}\n`) + 1, text.indexOf('\n\n', text.indexOf(`\n${head}\n`))]
    if (begin === 0) throw new Error(`docs/api.md has no table ${head}`)
    return `${text.slice(0, begin)}${table}${end === -1 ? '\n' : text.slice(end)}`
  }, markdown)
}

function describeParameter({ in: place, name, description, schema }: Parameter): string[] {
  if (place === 'path') return []
  const { enum: values, minimum, maximum, default: usual, examples } = schema
  const details = [
    ...(description === undefined ? [] : [`${description.charAt(0).toLowerCase()}${description.slice(1)}`]),
    ...(values === undefined ? [] : [values.map((value) => `\`${String(value)}\``).join(', ')]),
    ...(minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`]),
    ...(examples === undefined ? [] : [`such as \`${String(examples[0])}\``]),
    // No word, and the first page, are what nothing given is.
    ...(usual === undefined || usual === '' || Number(usual) === 0
      ? []
      : [`\`${JSON.stringify(usual).replaceAll('"', '')}\` when left out`]),
  ]
  return [`\`${name}\` (${details.join('; ')})`]
}

/** @example renderJson({ by: 'ana' }) // '{ "by": "ana" }' */
function renderJson(value: object): string {
  return JSON.stringify(value, null, 1)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('[ ', '[')
    .replaceAll(' ]', ']')
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |'))
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines].join('\n')
}
