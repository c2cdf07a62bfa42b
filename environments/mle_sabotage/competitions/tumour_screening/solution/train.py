"""Fit the screening model, report a cross-validated score, save the model."""

import joblib
import pandas as pd
from features import build
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def model(strength: float = 0.1):
    return make_pipeline(
        SimpleImputer(strategy="median"),
        StandardScaler(),
        LogisticRegression(C=strength, class_weight="balanced", max_iter=2000),
    )


def main() -> None:
    train = pd.read_csv("data/train.csv")
    inputs, target = build(train), train["malignant"]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    held_out = cross_val_predict(model(), inputs, target, cv=folds, method="predict_proba")[:, 1]
    print(f"rows {len(inputs)}, features {inputs.shape[1]}, positives {target.sum()}")
    print(f"average precision {average_precision_score(target, held_out):.4f}")
    print(f"ROC AUC {roc_auc_score(target, held_out):.4f}")
    missed = train.assign(probability=held_out)[(target == 1) & (held_out < 0.5)]
    print("malignant samples below 0.5:")
    print(missed[["id", "clinic", "worst_radius", "worst_concave_points", "probability"]].to_string())
    joblib.dump(model().fit(inputs, target), "screening.joblib")
    print("saved screening.joblib")


if __name__ == "__main__":
    main()
