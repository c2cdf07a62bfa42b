import joblib
import pandas as pd
from features import classifier, in_sequence
from sklearn.metrics import accuracy_score, classification_report
from sklearn.model_selection import StratifiedKFold, cross_val_predict

table = in_sequence(pd.read_csv("data/train.csv"))
folds = StratifiedKFold(4, shuffle=True, random_state=0)
guess = cross_val_predict(classifier(), table["name"], table["kind"], cv=folds)
print("accuracy: %.4f" % accuracy_score(table["kind"], guess))
print(classification_report(table["kind"], guess, digits=3, zero_division=0))
wrong = table[guess != table["kind"]].assign(guess=guess[guess != table["kind"]])
print(f"{len(wrong)} wrong, for example:")
print(wrong.head(20).to_string(index=False))

model = classifier().fit(table["name"], table["kind"])
joblib.dump(model, "kinds.joblib", compress=3)
print("vocabulary: %d columns" % model[-1].coef_.shape[1])
