/** Ordinary formulations of drugs, as orders name them; used where the use of a candidate states neither form nor route. */

/** Words of a formulation (`*` is the drug) and the drugs that are told so; drugs under none are told by name. */
const DRUGS: Readonly<Record<string, string>> = {
  '* by inhaler': 'ciclesonide, levalbuterol, salmeterol',
  '* by injection': 'amikacin, insulin isophane',
  '* by mouth': 'biotin, senna',
  '* capsules': 'cephalexin, lithium, nitrofurantoin, ribavirin',
  '* capsules by mouth': 'cefdinir, doxepin, prazosin',
  '* cream': 'lidocaine, mupirocin, permethrin',
  '* eye drops': 'bimatoprost, ketotifen, latanoprost, olopatadine, travoprost',
  '* inhalation aerosol': 'ipratropium',
  '* inhaler': 'cromolyn',
  '* injection':
    'ceftriaxone, denosumab, dextrose, dupilumab, gentamicin, insulin degludec, insulin glulisine, insulin regular, semaglutide, somatropin, tobramycin, zoledronic acid',
  '* lotion': 'calamine',
  '* ointment': 'bacitracin, zinc oxide',
  '* tablets':
    'alendronate, amitriptyline, atropine, azithromycin, carvedilol, cefixime, cefuroxime, chloroquine, ciprofloxacin, citalopram, clobazam, cyclophosphamide, dapagliflozin, dimenhydrinate, eszopiclone, felodipine, ferrous sulfate, fexofenadine, flecainide, flurbiprofen, fluvoxamine, imipramine, lamivudine, levocetirizine, linagliptin, loperamide, nitroglycerin, orphenadrine, pantoprazole, penicillin v, prednisolone, prednisone, propylthiouracil, pyridoxine, simvastatin, sulfamethoxazole, sulfasalazine, sumatriptan, telmisartan, topiramate, warfarin, zinc sulfate',
  '* tablets by mouth': 'acarbose, aspirin, diazepam, losartan, vibegron',
  'oral *':
    'acyclovir, aliskiren, allopurinol, amiloride, amiodarone, amlodipine, apixaban, benazepril, bupropion, candesartan, carbimazole, celecoxib, clindamycin, clonidine, clozapine, dabigatran, diflunisal, diltiazem, domperidone, doxylamine, edoxaban, ergotamine, estazolam, ethambutol, etodolac, ezetimibe, famotidine, ferrous gluconate, finasteride, folic acid, fosfomycin, furosemide, gabapentin, glyburide, hydralazine, ivermectin, labetalol, lamotrigine, linezolid, lisinopril, lorazepam, meloxicam, meprobamate, metaxalone, metformin, methyldopa, mirabegron, mirtazapine, montelukast, nabumetone, naproxen, nizatidine, norfloxacin, olanzapine, ondansetron, paroxetine, pravastatin, probenecid, rabeprazole, raloxifene, riboflavin, risperidone, sertraline, simethicone, sitagliptin, solifenacin, tenofovir, thiamine, ticagrelor, tinidazole, tramadol, triazolam, varenicline, venlafaxine, vitamin a',
  'oral * capsules':
    'amoxicillin, efavirenz, fluoxetine, itraconazole, oxazepam, piroxicam, thalidomide, zaleplon',
  'oral * tablets':
    'acetaminophen, alprazolam, benztropine, bisacodyl, bosentan, buprenorphine, calcium carbonate, cefprozil, cetirizine, clonazepam, clorazepate, colchicine, cyproheptadine, desipramine, desvenlafaxine, dicyclomine, doxazosin, enalapril, ertugliflozin, famciclovir, fluconazole, glimepiride, glipizide, haloperidol, hydroxyzine, irbesartan, isoniazid, methadone, methimazole, metoprolol, metronidazole, midazolam, oxaprozin, oxcarbazepine, oxycodone, prasugrel, rifampin, rivaroxaban, roxithromycin, sulindac, tamoxifen, teriflunomide, zolpidem',
  'topical * cream': 'capsaicin',
};

/** Drug to the words of its formulation. No rule turns on them: where one turns on form or route, the use states it. */
export const FORMULATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries(DRUGS).flatMap(([words, drugs]) =>
    drugs.split(', ').map((drug): [string, string] => [drug, words]),
  ),
);
