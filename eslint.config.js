import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** `process.env` is read in one place, so that every variable is typed, validated and listed. */
const noProcessEnv = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'Only src/platform/config reads process.env; take the value as an option.',
};

/** class-validator's `@ValidateNested()` accepts an array where an object is due. */
const noBareNesting = {
  selector: "ImportSpecifier[imported.name='ValidateNested']",
  message: 'Use @NestedObject(() => Type) or @NestedObjects(() => Type): @ValidateNested() alone accepts arrays.',
};

/** Texts of other people are printed without what a terminal would obey. */
const noDirectPrint = {
  selector: "CallExpression[callee.property.name='write'][callee.object.property.name=/^std(out|err)$/]",
  message: 'Print with surroundingsOf(), which removes what a terminal would obey.',
};

/** At most four parameters, and five dependencies in a constructor; `max-params` cannot tell the two apart. */
const maxParameters = [
  {
    selector: ':matches(FunctionDeclaration, ArrowFunctionExpression)[params.length>4]',
    message: 'At most 4 parameters: group them in an options object.',
  },
  {
    selector: ":not(MethodDefinition[kind='constructor']) > FunctionExpression[params.length>4]",
    message: 'At most 4 parameters: group them in an options object.',
  },
  {
    selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>5]",
    message: 'At most 5 dependencies: this class does more than one thing.',
  },
];

export default defineConfig(
  { ignores: ['**/dist', 'coverage', 'data', '.cache', 'deploy', 'test/fixtures'] },
  js.configs.recommended,
  {
    files: ['**/*.{js,cjs,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'AbortController',
          'AbortSignal',
          'Buffer',
          'console',
          'fetch',
          'module',
          'performance',
          'process',
          'setInterval',
          'setTimeout',
          'URL',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['examples/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        ['crypto', 'document', 'FormData', 'Headers', 'history', 'location', 'window'].map((name) => [
          name,
          'readonly',
        ]),
      ),
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // `import type` of an injected class erases what Nest's DI reads, so no rule may ask for it.
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Objects of a DTO class are data: they are made by literals and spread like any other.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      // A Nest module is an empty class under a decorator.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // A new member of a union must fail here until every switch over it knows it.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { allowDefaultCaseForExhaustiveSwitch: false }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true },
      ],
      // An async method of an interface need not have anything to wait for: `async` turns its throws into rejections.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', noProcessEnv, noBareNesting, ...maxParameters],
      'max-depth': ['error', 3],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['src/platform/config/**/*.ts', 'packages/cli/src/context/process-variables.ts'],
    rules: { 'no-restricted-syntax': ['error', noBareNesting, ...maxParameters] },
  },
  {
    files: ['packages/sdk/src/validation/nested-object.ts'],
    rules: { 'no-restricted-syntax': ['error', noProcessEnv, ...maxParameters] },
  },
  {
    // What commands print passes one function, which a terminal obeys nothing of.
    files: ['packages/cli/src/**/*.ts', 'src/cli/ops/**/*.ts'],
    ignores: ['packages/cli/src/context/{command-context,process-variables}.ts'],
    rules: { 'no-restricted-syntax': ['error', noProcessEnv, noBareNesting, noDirectPrint, ...maxParameters] },
  },
  {
    // A component is one function: most of its lines are the markup that it returns.
    files: ['console/**/*.tsx'],
    rules: { 'max-lines': ['error', 320], 'max-lines-per-function': 'off' },
  },
  {
    // The files that start the process and print its banner before a logger exists.
    files: ['src/*.ts', 'src/main/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // Programs for a terminal: they read the environment and print.
    files: ['scripts/**/*.ts'],
    rules: { 'no-console': 'off', 'no-restricted-syntax': ['error', ...maxParameters] },
  },
  {
    files: ['test/**/*.ts', '{src,packages,skills,scripts}/**/*.spec.ts'],
    rules: {
      // A `describe` block is one long function, and a test file is as long as its facts.
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      'no-restricted-syntax': 'off',
      // Bodies of responses are read as they come; a wrong guess fails the test, which is its purpose.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      // `expect(object.method)` never calls the method.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['test/{integration,e2e}/**/*.spec.ts'],
    ignores: ['**/*.long.spec.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Program > ExpressionStatement > CallExpression[callee.name=/^(before|after)(All|Each)$/]',
          message: 'The specs of a folder are one file to Jest (suite.ts): a hook belongs into a describe block.',
        },
      ],
    },
  },
  { files: ['scripts/**/*.{js,mjs}', '.ci/**/*.{js,mjs}'], rules: { 'no-console': 'off' } },
);
