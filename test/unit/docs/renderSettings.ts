import {
  configJsonSchema,
  listSettings,
  type SchemaNode,
  type Setting,
} from '../../../src/config/describeConfig.ts'
import { settingTexts } from '../../../src/config/settingTexts.ts'

const intro = `# Configuration

Every setting of \`spanwatch.yaml\`, generated from its schema (\`npm run spanwatch -- schema config\` prints that, for editors).
\`npm run spanwatch -- init\` writes a first one, [spanwatch.example.yaml](../spanwatch.example.yaml) shows every setting, and
\`npm run spanwatch -- check -c spanwatch.yaml\` says what is wrong with yours: file, line, column, what was expected and the nearest
known key. Durations have a unit (\`30s\`, \`5m\`, \`1h30m\`, \`400d\`), amounts are in token units and in quotes, addresses are in
quotes. \`\${NAME}\` reads the environment and \`\${file:/run/secrets/x}\` a file, in any text. \`[]\` is every entry of a list, \`NAME\` a
name of your own. Settings are read at start; [rules](rules.md) are read again when they change.
`

/** docs/configuration.md as the schema has it. */
export function renderSettings(): string {
  const sections = Map.groupBy(listSettings(configJsonSchema()), ({ path }) => /^\w+/.exec(path)?.[0] ?? '')
  return [intro, ...[...sections].map(([name, settings]) => renderSection(name, settings))].join('\n')
}

function renderSection(name: string, settings: readonly Setting[]): string {
  const rows = settings.filter(({ nodes }) => nodes.some((node) => isLeaf(node)))
  const head = `## \`${name}\`\n\n${settingTexts[name] ?? ''}\n`
  if (rows.length === 1 && rows[0]?.path === name) return `${head}\nDefault: ${renderDefault(rows[0])}\n`
  return `${head}\n| setting | default | means |\n|---|---|---|\n${rows.map(renderRow).join('\n')}\n`
}

function isLeaf(node: SchemaNode): boolean {
  const variants = [...(node.anyOf ?? []), ...(node.oneOf ?? [])]
  if (variants.length > 0) return variants.some((variant) => variant.type !== 'null' && isLeaf(variant))
  return node.properties === undefined && typeof node.additionalProperties !== 'object'
}

function renderRow(setting: Setting): string {
  const text = settingTexts[setting.path] ?? ''
  return `| \`${setting.path}\` | ${renderDefault(setting)} | ${text.replaceAll('|', '\\|')} |`
}

function renderDefault({ nodes }: Setting): string {
  const given = nodes.find((node) => node.default !== undefined && node.default !== null)?.default
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return ''
  return `\`${typeof given === 'string' ? given : JSON.stringify(given)}\``
}
